-- The derived tables `collection_owners` and `collection_counts`.

create or replace function collection_owners_of(c uuid)
returns table (collection_id uuid, owner_hash bytea, item_count integer) language sql stable as $$
  select c, sha256(i.owner_script), count(*)::int from collection_items m join inscriptions i using (inscription_id)
  where m.collection_id = c and i.owner_script is not null group by 2
$$;
comment on function collection_owners_of is
  'Expected rows of collection_owners for a collection.';

create or replace function move_owners(cs uuid[], owners bytea[], ns integer[]) returns void language plpgsql as $$
begin
  with moved as materialized (
    select c, sha256(owner) as hash, sum(n)::int as n from unnest(cs, owners, ns) as each (c, owner, n)
    group by 1, 2 having sum(n) <> 0
  ), held as (
    insert into collection_owners as o (collection_id, owner_hash, item_count) select c, hash, n from moved order by c, hash
    on conflict (collection_id, owner_hash) do update set item_count = o.item_count + excluded.item_count
    returning collection_id, owner_hash, item_count
  ), changed as (
    select m.c, sum(case h.item_count when 0 then -1 when m.n then 1 else 0 end)::int as n
    from held h join moved m on m.c = h.collection_id and m.hash = h.owner_hash group by m.c
  )
  update collection_counts k set owner_count = k.owner_count + changed.n
  from changed where k.collection_id = changed.c and changed.n <> 0;
  if 0 > any(ns) then
    delete from collection_owners o using unnest(cs, owners) as each (c, owner)
    where o.collection_id = each.c and o.owner_hash = sha256(each.owner) and o.item_count = 0;
  end if;
end $$;
comment on function move_owners is
  'Adds to or subtracts from the item counts of owners, and updates the number of owners.';

-- Deferred to commit: indexing a block takes long, and its collections are traded in the meantime.
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
