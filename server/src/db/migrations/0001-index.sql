-- The index: its blocks, every inscription, the place of each, and its moves.

-- install: txid-key.sql ea7f4f15e42c

-- The blocks that the index has read, without a gap.
create table blocks (
  height integer primary key,
  block_hash text not null unique,
  mined_at timestamptz not null,
  -- the counters of ord's numbering, as of after this block
  next_sequence bigint not null,
  blessed_count bigint not null,
  cursed_count bigint not null,
  unbound_count bigint not null,
  lost_sats bigint not null
);

-- Every inscription. The view `inscriptions` adds where each one is (db/functions/inscribed-sats.sql).
create table inscription_rows (
  sequence bigint primary key,
  inscription_id text not null,
  inscription_number bigint not null,
  height integer not null,
  inscribed_at timestamptz not null,
  cursed boolean not null,
  vindicated boolean not null,
  unbound boolean not null,
  reinscription boolean not null,
  parent_ids text[] not null,
  delegate_id text,
  pointer bigint,
  content_type text,
  content_encoding text,
  metaprotocol text,
  metadata bytea,
  body bytea,
  -- number of its sat; null where the index has not seen where that comes from
  sat bigint,
  -- CBOR as inscribed (ord handbook, "Properties"), and how it is compressed
  properties bytea,
  property_encoding text,
  -- height of the `ord` that gave the inscription, to an index that began in the middle of a chain; null: a block gave it
  adopted_height integer,
  -- its share of the fee of its reveal, as in ord; null where that is not known
  fee_sats bigint,
  -- the place of its sat when it was made, if not a coin
  born_in text,
  -- the sat; of an unbound inscription, one that exists in name alone
  sat_id bigint not null,
  unique (inscription_id),
  constraint inscriptions_born_in_check check (born_in in ('op_return', 'lost'))
);
create index inscriptions_adopted on inscription_rows (adopted_height) where adopted_height is not null;
create index inscriptions_delegate on inscription_rows (delegate_id) where delegate_id is not null;
create index inscriptions_height on inscription_rows (height);
create index inscriptions_on_sat on inscription_rows (sat_id, sequence);
create index inscriptions_parents on inscription_rows using gin (parent_ids) where parent_ids <> '{}';
create index inscriptions_sat on inscription_rows (sat, sequence) where sat is not null;

-- An inscribed sat, as a node of the tree of its coin (bitcoin/src/sat-tree.ts). Its id is the sequence of the first
-- inscription on it.
create table inscribed_sats (
  sat_id bigint primary key,
  priority bigint not null,
  -- null at the root of a coin
  parent_id bigint,
  -- from the parent's sat; of a root, in its output
  sat_offset bigint not null,
  -- the lowest id in the subtree
  first_id bigint not null,
  -- of roots alone: the output, and the offsets of the first and the last inscribed sat in it. Value and script are
  -- null when the sats are lost or unbound.
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  check ((parent_id is null) = (txid is not null))
);
create index inscribed_sats_owner on inscribed_sats (sha256(owner_script)) where owner_script is not null;
create index inscribed_sats_parent on inscribed_sats (parent_id) where parent_id is not null;
create index inscribed_sats_place on inscribed_sats (txid_key(txid)) where txid is not null;

-- A sat as it was before a block that can still be undone changed it.
create table inscribed_sat_undo (
  height integer not null,
  sat_id bigint not null,
  parent_id bigint,
  sat_offset bigint not null,
  first_id bigint not null,
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  primary key (height, sat_id)
);

-- One row for neighbouring sats that went from one output to another: the history of the inscriptions on them.
create table coin_moves (
  height integer not null,
  position integer not null,
  -- the coinbase that lost them; null where the transaction of the new output moved them
  moved_by text,
  from_txid text not null,
  from_vout bigint not null,
  from_script bytea not null,
  -- offset of the first of the sats, and how many sats further the last is
  from_offset bigint not null,
  span bigint not null,
  to_txid text not null,
  to_vout bigint not null,
  to_script bytea,
  to_offset bigint not null,
  primary key (height, position)
);
create index coin_moves_to on coin_moves (txid_key(to_txid), to_vout, to_offset);

-- The inscriptions that the market knows, whether the index has them or not, with the coin and the owner of each. A move
-- changes these rows alone, however many others the coin holds.
create table watched_inscriptions (
  inscription_id text primary key,
  txid text,
  vout bigint,
  owner_script bytea
);
create index watched_inscriptions_place on watched_inscriptions (txid_key(txid)) where txid is not null;

-- Of an index that began in the middle of a chain: inscriptions that it read itself. Their sats, parents and older inscriptions on
-- the same sat come from the `ord` server.
create table incomplete_inscriptions (
  sequence bigint primary key references inscription_rows on delete cascade,
  -- its envelope claims parents that the index did not see in the inputs
  claims_parents boolean not null,
  -- failed requests to ord
  tries integer not null default 0
);
create index incomplete_inscriptions_next on incomplete_inscriptions (tries, sequence);

-- Sats that are uncommon or better, the first of each block, and where they are; never spent as payment.
create table rare_sats (
  born_height integer primary key,
  -- null once lost to fees that no coinbase claimed
  txid text,
  vout bigint,
  sat_offset bigint
);
create index rare_sats_place on rare_sats (txid_key(txid)) where txid is not null;

-- One row a sat that a block moved, so that the block can be undone; from nowhere where the block made it.
create table rare_sat_moves (
  height integer not null,
  born_height integer not null,
  from_txid text,
  from_vout bigint,
  from_offset bigint,
  primary key (height, born_height)
);

-- The sats of every unspent output: from, to (exclusive), from, to.
create table sat_ranges (
  txid text not null,
  vout bigint not null,
  ranges bigint[] not null,
  primary key (txid, vout)
);

-- The outputs that a block spent and made, in parts of a bounded size, while the block can still be undone.
create table sat_undo (
  height integer not null,
  part integer not null,
  -- [[txid, vout, ranges]]
  taken jsonb not null,
  -- [[txid, vout]]
  made jsonb not null,
  primary key (height, part)
);

-- When the follower last read the node's mempool: one row.
create unlogged table mempool_look (
  one boolean primary key default true check (one),
  -- null during the first look
  looked_at timestamptz,
  transaction_count integer,
  -- transactions that a look under way has still to read
  unread integer
);

-- The coins that the node's mempool spends, as last seen. A crash may lose them.
create unlogged table mempool_spends (
  txid text not null,
  vout bigint not null,
  spender text not null,
  primary key (txid, vout)
);
create index mempool_spends_spender on mempool_spends (spender);

-- The block that the follower cannot index. While there is one, every server pauses trading.
create table index_fault (
  one boolean primary key default true check (one),
  height integer not null,
  block_hash text not null,
  txid text,
  reason text not null,
  since timestamptz not null
);
