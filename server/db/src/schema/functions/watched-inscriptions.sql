-- Inscriptions that collections or orders refer to, indexed or not, and the effects of their moves.

create or replace function watch_inscriptions(ids text[]) returns void language sql as $$
  insert into watched_inscriptions (inscription_id, txid, vout, owner_script)
  select w.inscription_id, i.txid, i.vout, i.owner_script
  from (select distinct unnest(ids) as inscription_id) w left join inscriptions i using (inscription_id)
  where w.inscription_id is not null
  on conflict do nothing
$$;
comment on function watch_inscriptions is
  'Adds inscriptions to the watched ones, with their current locations.';

create or replace function update_watched_inscriptions(ids text[]) returns void language sql as $$
  update watched_inscriptions w set txid = p.txid, vout = p.vout, owner_script = p.owner_script
  from (
    select each.inscription_id, i.txid, i.vout, i.owner_script
    from unnest(ids) as each (inscription_id) left join inscriptions i using (inscription_id)
  ) p
  where w.inscription_id = p.inscription_id
    and (w.txid, w.vout, w.owner_script) is distinct from (p.txid, p.vout, p.owner_script)
$$;
comment on function update_watched_inscriptions is
  'Updates the locations of watched inscriptions.';

create or replace function apply_inscription_moves() returns trigger language plpgsql as $$
declare
  ids text[] := array(select inscription_id from changed);
begin
  if cardinality(ids) = 0 then return null; end if;
  perform move_owners(array_agg(m.collection_id), array_agg(each.owner_script), array_agg(each.n))
    from before o join changed c using (inscription_id) join collection_items m using (inscription_id),
      lateral (values (o.owner_script, -1), (c.owner_script, 1)) as each (owner_script, n)
    where each.owner_script is not null and o.owner_script is distinct from c.owner_script
    having count(*) > 0;
  perform drop_rendered_listings(ids);
  perform drop_rendered_items(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  return null;
end $$;
comment on function apply_inscription_moves is
  'Moves owner counts, drops rendered rows and refreshes proposals when watched inscriptions move.';
create or replace trigger watched_inscriptions_moved after update on watched_inscriptions
  referencing old table as before new table as changed for each statement execute function apply_inscription_moves();

create or replace function apply_inscription_changes() returns trigger language plpgsql as $$
declare
  ids text[] := array(
    select inscription_id from changed join watched_inscriptions using (inscription_id)
    union select d.inscription_id from changed c join inscription_rows d on d.delegate_id = c.inscription_id
      join watched_inscriptions w on w.inscription_id = d.inscription_id);
begin
  if cardinality(ids) = 0 then return null; end if;
  perform update_watched_inscriptions(ids);
  if tg_op = 'INSERT' then
    perform inscribe_items(ids);
  elsif tg_op = 'DELETE' then
    delete from item_transfers where from_script is null and inscription_id in (select inscription_id from changed);
  end if;
  perform drop_rendered_offers(ids);
  perform drop_rendered_sales(ids);
  perform drop_rendered_proposals(ids);
  perform drop_rendered_collection(collection_id) from collections where preview_inscription_id = any(ids);
  perform drop_rendered_listings(ids);
  perform drop_rendered_items(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  return null;
end $$;
comment on function apply_inscription_changes is
  'Updates locations and drops rendered rows when inscriptions are indexed, completed or undone.';
create or replace trigger inscriptions_completed after update on inscription_rows
  referencing new table as changed for each statement execute function apply_inscription_changes();
create or replace trigger inscriptions_made after insert on inscription_rows
  referencing new table as changed for each statement execute function apply_inscription_changes();
create or replace trigger inscriptions_undone after delete on inscription_rows
  referencing old table as changed for each statement execute function apply_inscription_changes();

create or replace function watch_new() returns trigger language plpgsql as $$
begin
  perform watch_inscriptions(array(select inscription_id from changed));
  return null;
end $$;
comment on function watch_new is
  'Watches the inscriptions of new rows.';
create or replace trigger collection_items_watched after insert on collection_items
  referencing new table as changed for each statement execute function watch_new();
create or replace trigger listings_watched after insert on listings
  referencing new table as changed for each statement execute function watch_new();
create or replace trigger proposal_items_watched after insert on proposal_items
  referencing new table as changed for each statement execute function watch_new();

create or replace function watch_collection() returns trigger language plpgsql as $$
begin
  perform watch_inscriptions(array[new.source_inscription_id, new.preview_inscription_id]);
  return null;
end $$;
comment on function watch_collection is
  'Watches the source and preview inscriptions of a collection.';
create or replace trigger collections_watched after insert or update of source_inscription_id, preview_inscription_id on collections
  for each row execute function watch_collection();
