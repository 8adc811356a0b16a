-- Tags of changed pages, sent to every server (server/http/src/responses): `c:ID` for a collection's items, book entries, sales and floor,
-- `o:ID` for its bids, and `collections`, `listings`, `sales`, `proposals`.

create or replace function announce(tags text[]) returns void language plpgsql as $$
begin
  if cardinality(tags) > 500 then
    perform pg_notify('ordbook', '*');
  else
    perform pg_notify('ordbook', tag) from (select distinct unnest(tags) as tag) each;
  end if;
end $$;
comment on function announce is
  'Sends tags of changed pages to every server.';
