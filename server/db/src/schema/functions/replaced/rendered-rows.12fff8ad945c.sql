-- The column `rendered_row` has a row as the API returns it. The server renders it at the first read after a change. A change
-- sets it to null and increments the version; a rendered row is stored only if the version has not changed since.

-- Rows that this transaction wrote already have no rendered row and a new version.
create or replace function drop_rendered_items(ids text[]) returns void language sql as $$
  update collection_items set rendered_row = null, rendered_version = rendered_version + 1, rendered_expires_at = null
  where inscription_id = any(ids) and (rendered_row is not null or xmin <> pg_current_xact_id()::xid)
$$;
comment on function drop_rendered_items is
  'Drops the rendered rows of collection items.';

-- Every transaction takes these locks in one order: a listing, then the items on its coin. A listing is rendered with the first
-- inscription on its sat, whichever its seller named.
create or replace function drop_rendered_listings(ids text[]) returns void language sql as $$
  update listings set rendered_row = null, rendered_version = rendered_version + 1
  where inscription_id = any(array(select o.id from unnest(ids) as each (id), inscriptions_with(each.id) as o (id)))
    and state in ('buyable', 'hidden_locked', 'pending_public')
$$;
comment on function drop_rendered_listings is
  'Drops the rendered rows of live listings whose coins hold one of these inscriptions.';

create or replace function drop_rendered_sales(ids text[]) returns void language sql as $$
  update sales set rendered_row = null, rendered_version = rendered_version + 1 where inscription_id = any(ids)
$$;
comment on function drop_rendered_sales is
  'Drops the rendered rows of sales.';

-- Includes ended offers, which the history shows. Locks in the same order as other transactions.
create or replace function drop_rendered_offers(ids text[]) returns void language sql as $$
  update offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (select offer_id from offers where inscription_id = any(ids) order by offer_id for no key update);
  update collection_offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (
    select offer_id from collection_offers where sample_inscription_id = any(ids) order by offer_id for no key update)
$$;
comment on function drop_rendered_offers is
  'Drops the rendered rows of offers on inscriptions, and of collection offers that show one.';

create or replace function drop_rendered_row() returns trigger language plpgsql as $$
begin
  new.rendered_row := null;
  new.rendered_version := new.rendered_version + 1;
  return new;
end $$;
comment on function drop_rendered_row is
  'Drops the rendered row of a changed row.';
create or replace trigger collection_offers_changed before update of executable on collection_offers
  for each row when (old.executable is distinct from new.executable) execute function drop_rendered_row();

create or replace function announce_items() returns trigger language plpgsql as $$
begin
  perform announce(array(select distinct 'c:' || collection_id from changed where rendered_row is null));
  return null;
end $$;
comment on function announce_items is
  'Announces collections with items that must be rendered again.';
create or replace trigger collection_items_changed after update on collection_items
  referencing new table as changed for each statement execute function announce_items();

-- The trigger's argument is the tag of the feed.
create or replace function announce_feed() returns trigger language plpgsql as $$
begin
  if exists (select 1 from changed where rendered_row is null) then
    perform announce(array(select tg_argv[0]
      union select 'c:' || m.collection_id from changed r join collection_items m using (inscription_id)
        where r.rendered_row is null));
  end if;
  return null;
end $$;
comment on function announce_feed is
  'Announces that a feed, and the collections of its changed rows, must be rendered again.';
create or replace trigger listings_changed after update on listings
  referencing new table as changed for each statement execute function announce_feed('listings');
create or replace trigger sales_changed after update on sales
  referencing new table as changed for each statement execute function announce_feed('sales');
