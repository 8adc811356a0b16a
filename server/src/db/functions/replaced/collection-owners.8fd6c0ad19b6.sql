-- The derived tables `collection_owners` and `collection_counts`.

create or replace function collection_owners_of(c uuid)
returns table (collection_id uuid, owner_hash bytea, item_count integer) language sql stable as $$
  select c, sha256(i.owner_script), count(*)::int from collection_items m join inscriptions i using (inscription_id)
  where m.collection_id = c and i.owner_script is not null group by 2
$$;
comment on function collection_owners_of is
  'Expected rows of collection_owners for a collection.';

create or replace function move_owner(c uuid, owner bytea, n integer) returns void language plpgsql as $$
declare
  hash bytea := sha256(owner);
  held integer;
begin
  insert into collection_owners as o (collection_id, owner_hash, item_count) values (c, hash, n)
  on conflict (collection_id, owner_hash) do update set item_count = o.item_count + excluded.item_count
  returning item_count into held;
  if held = 0 then
    delete from collection_owners where collection_id = c and owner_hash = hash;
    update collection_counts set owner_count = owner_count - 1 where collection_id = c;
  elsif held = n then
    update collection_counts set owner_count = owner_count + 1 where collection_id = c;
  end if;
end $$;
comment on function move_owner is
  'Adds items to an owner''s count in a collection, or takes them away, and counts the owners.';

-- At commit, as with book entries: a block takes long, and its collections are traded in the meantime.
create or replace function drop_rendered_floor() returns trigger language plpgsql as $$
begin
  update collection_floors set rendered_row = null, rendered_version = rendered_version + 1 where collection_id = new.collection_id;
  return null;
end $$;
comment on function drop_rendered_floor is
  'Drops the rendered statistics of a collection when its counts change, at commit.';
drop trigger if exists collection_counts_changed on collection_counts;
create constraint trigger collection_counts_changed after update on collection_counts
  deferrable initially deferred for each row execute function drop_rendered_floor();
