-- Owners by the hash of their script: a script may be longer than what a btree entry holds (2,704 bytes).
drop index inscriptions_owner;
create index inscriptions_owner on inscriptions (sha256(owner_script));

alter table collection_owners drop constraint collection_owners_pkey, drop column owner_script;
alter table collection_owners add column owner_hash bytea not null, add primary key (collection_id, owner_hash);

drop function collection_owners_of(uuid);
create function collection_owners_of(c uuid)
returns table (collection_id uuid, owner_hash bytea, item_count integer) language sql stable as $$
  select c, sha256(i.owner_script), count(*)::int from collection_items m join inscriptions i using (inscription_id)
  where m.collection_id = c and i.owner_script is not null group by 2
$$;

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

create or replace function rebuild_collection(c uuid) returns void language plpgsql as $$
begin
  perform set_config('ordbook.rebuilding', 'on', true);
  lock table order_events in share row exclusive mode;
  delete from asks where collection_id = c;
  insert into asks select * from asks_of(c);
  insert into collection_floors as f (collection_id, slug, floor_sats, listed_count, next_expiry_at, rolled_at)
  select c, (select slug from collections where collection_id = c), r.*, clock_timestamp() from floors_of(c) r
  on conflict (collection_id) do update set floor_sats = excluded.floor_sats, listed_count = excluded.listed_count,
    next_expiry_at = excluded.next_expiry_at, rolled_at = excluded.rolled_at, card = null,
    card_version = f.card_version + 1;
  delete from floor_history where collection_id = c;
  insert into floor_history select * from floor_history_of(c, '-infinity');
  delete from collection_sales where collection_id = c;
  insert into collection_sales select * from collection_sales_of(c);
  delete from collection_owners where collection_id = c;
  insert into collection_owners (collection_id, owner_hash, item_count) select * from collection_owners_of(c);
  insert into collection_counts
  select c, (select count(*) from collection_items where collection_id = c),
    (select count(*) from collection_owners where collection_id = c)
  on conflict (collection_id) do update set item_count = excluded.item_count, owner_count = excluded.owner_count;
  delete from trait_counts where collection_id = c;
  insert into trait_counts select * from trait_counts_of(c);
  perform reset_collection(c);
  perform refresh_proposals(array(
    select proposal_id from proposal_collections where collection_id = c
    union select o.proposal_id from proposal_items o join collection_items m using (inscription_id)
      where m.collection_id = c));
end $$;
