-- The block that the follower cannot index, while there is one: trading is paused on every server meanwhile.
create table index_fault (
  one boolean primary key default true check (one),
  height integer not null,
  block_hash text not null,
  txid text,
  reason text not null,
  since timestamptz not null
);
