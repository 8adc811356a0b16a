-- The index in batches: outputs are found by the first 48 bits of their txid, a number; sats are numbered where the whole
-- chain was read.
create function txid_key(txid text) returns bigint language sql immutable strict parallel safe
  return ('x' || left(txid, 12))::bit(48)::bigint;

drop index inscriptions_outpoint;
create index inscriptions_place on inscriptions (txid_key(txid));
drop index rare_sats_place;
create index rare_sats_place on rare_sats (txid_key(txid)) where txid is not null;

-- The number of its sat; null where the index has not seen where that comes from.
alter table inscriptions add column sat bigint;

-- Whether sats are numbered is decided when a database is new (0014 had none of this): an index that began without them
-- goes on without.
insert into settings (name, value) select 'sats', 'off' from blocks limit 1;

-- The sats of every unspent output: from, to (exclusive), from, to.
create table sat_ranges (
  txid text not null,
  vout bigint not null,
  ranges bigint[] not null,
  primary key (txid, vout)
);
-- What a block spent and made, so that it can be undone; only of blocks that still can be.
create table sat_undo (
  height integer primary key,
  -- [[txid, vout, ranges]]
  taken jsonb not null,
  -- [[txid, vout]]
  made jsonb not null
);
