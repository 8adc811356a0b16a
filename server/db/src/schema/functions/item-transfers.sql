-- Inscribed and transferred items: `item_transfers`, and the derived table `collection_transfers`.

create or replace function collection_transfers_of(c uuid) returns setof collection_transfers language sql stable as $$
  select c, t.at, t.transfer_id from collection_items m join item_transfers t using (inscription_id) where m.collection_id = c
$$;
comment on function collection_transfers_of is
  'Expected rows of collection_transfers for a collection.';

create or replace function update_collection_transfers() returns trigger language plpgsql as $$
begin
  insert into collection_transfers
  select m.collection_id, t.at, t.transfer_id from changed t join collection_items m using (inscription_id);
  return null;
end $$;
comment on function update_collection_transfers is
  'Adds new transfers to the collections of their items; the foreign key removes deleted ones.';
create or replace trigger item_transfers_made after insert on item_transfers
  referencing new table as changed for each statement execute function update_collection_transfers();

create or replace function inscribe_items(ids text[]) returns void language sql as $$
  insert into item_transfers (inscription_id, height, at, txid)
  select i.inscription_id, i.height, i.inscribed_at, left(i.inscription_id, 64)
  from inscription_rows i where i.inscription_id = any(ids)
    and exists (select 1 from collection_items m where m.inscription_id = i.inscription_id)
  order by i.sequence
  on conflict (inscription_id) where from_script is null do nothing
$$;
comment on function inscribe_items is
  'Records when items were inscribed, for the indexed ones among the given inscriptions.';
