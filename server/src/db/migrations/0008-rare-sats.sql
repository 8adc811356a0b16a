-- Sats that are uncommon or better, the first of each block, and where they are; never spent as payment.
create table rare_sats (
  born_height integer primary key,
  -- null once lost to fees that no coinbase claimed
  txid text,
  vout bigint,
  sat_offset bigint
);
create index rare_sats_place on rare_sats (txid, vout) where txid is not null;

-- One row a sat that a block moved, so that the block can be undone; from nowhere where the block made it.
create table rare_sat_moves (
  height integer not null,
  born_height integer not null,
  from_txid text,
  from_vout bigint,
  from_offset bigint,
  primary key (height, born_height)
);
