-- Stores the UTXO set, so that a node alone has the coins of an address.
-- oldest code: 0001

-- ## Derived tables

-- The UTXO set by script, with ADDRESS_INDEX_URL=node://. Unlogged: after a crash of PostgreSQL it is loaded again.
create unlogged table utxos (
  -- the first 64 bits of a hash of the script, keyed by utxo_blocks.script_key
  script bigint not null,
  -- the first 48 bits of the txid (serialization order), and the low 16 of vout
  head bigint not null,
  value_sats bigint not null,
  vout bigint not null,
  height integer not null,
  -- the other 26 bytes of the txid
  txid_rest bytea not null
);
create index utxos_script on utxos (script, head) with (fillfactor = 70);
-- Each block deletes rows all over the table.
alter table utxos set (autovacuum_vacuum_scale_factor = 0.02);

-- The last blocks in utxos. Empty while they are loaded.
create unlogged table utxo_blocks (
  height integer primary key,
  block_hash text not null,
  -- secret, new with each load
  script_key bytea not null,
  -- the coins that the block made and spent, packed, to undo it
  made bytea not null,
  spent bytea not null
);
-- Hashes cannot be compressed.
alter table utxo_blocks alter made set storage external, alter spent set storage external;
