-- Sums of sales by collection and hour, and the transfers of items.
-- oldest code: 0013

-- Sales that count, by collection of their inscription and hour of their block. Derived from collection_sales and sales.
create table collection_volumes (
  collection_id uuid not null references collections,
  -- its beginning; -infinity: the sums of all time
  hour timestamptz not null,
  volume_sats bigint not null,
  sale_count integer not null,
  primary key (collection_id, hour)
);
create index collection_volumes_hour on collection_volumes (hour);

-- Items that were inscribed, and went from one holder to another without a trade: at most once a block each. Escrow is no holder.
create table item_transfers (
  transfer_id bigint generated always as identity primary key,
  inscription_id text not null,
  height integer not null,
  -- the time of the block
  at timestamptz not null,
  -- null: inscribed
  from_script bytea,
  -- null: unknown, or lost
  to_script bytea,
  txid text not null
);

-- Transfers by collection of their item. Derived from item_transfers and collection_items.
create table collection_transfers (
  collection_id uuid not null references collections,
  at timestamptz not null,
  transfer_id bigint not null references item_transfers on delete cascade,
  primary key (collection_id, transfer_id)
);
create index collection_transfers_transfer on collection_transfers (transfer_id);

-- install: collection-volumes.sql 31cbf74343ac
-- install: item-transfers.sql 1b917fc7902b
-- install: collections.sql 6a698db7e9a9
-- install: watched-inscriptions.sql 1e61591b3f65

create unique index item_transfers_inscribed on item_transfers (inscription_id) where from_script is null;
create index item_transfers_height on item_transfers (height);
create index item_transfers_recent on item_transfers (at desc, transfer_key(transfer_id) desc);
create index item_transfers_inscription on item_transfers (inscription_id, at desc, transfer_key(transfer_id) desc);
-- A script may be longer than an index entry.
create index item_transfers_from on item_transfers (sha256(from_script), at desc, transfer_key(transfer_id) desc)
  where from_script is not null;
create index item_transfers_to on item_transfers (sha256(to_script), at desc, transfer_key(transfer_id) desc)
  where to_script is not null;
create index collection_transfers_recent on collection_transfers (collection_id, at desc, transfer_key(transfer_id) desc);

insert into collection_volumes select v.* from collections c, lateral collection_volumes_of(c.collection_id) v;
select inscribe_items(array(select inscription_id from collection_items where collection_id = c.collection_id))
  from collections c;
