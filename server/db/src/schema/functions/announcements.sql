-- The tags that tell every server which pages have changed (server/http/src/responses): `c:ID` a collection's items, book entries, sales
-- and floor, `o:ID` its bids, and `collections`, `listings`, `sales`, `proposals`.

create or replace function announce(tags text[]) returns void language plpgsql as $$
begin
  if cardinality(tags) > 500 then
    perform pg_notify('ordbook', '*');
  else
    perform pg_notify('ordbook', tag) from (select distinct unnest(tags) as tag) each;
  end if;
end $$;
comment on function announce is
  'Sends the tags of changed pages to every server.';
