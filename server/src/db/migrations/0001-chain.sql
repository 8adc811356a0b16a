-- The index: which blocks it has read, every inscription, where each one is, and how it came there.
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

create table inscriptions (
  sequence bigint primary key,
  inscription_id text not null unique,
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
  -- where it is now; the output is null when the inscription is unbound or its sat was lost
  txid text not null,
  vout bigint not null,
  sat_offset bigint not null,
  output_value_sats bigint,
  owner_script bytea
);
create index inscriptions_outpoint on inscriptions (txid, vout);
create index inscriptions_owner on inscriptions (owner_script);
create index inscriptions_height on inscriptions (height);

-- One row a move, so that a block can be undone.
create table inscription_moves (
  height integer not null,
  position integer not null,
  sequence bigint not null,
  txid text not null,
  from_txid text not null,
  from_vout bigint not null,
  from_offset bigint not null,
  from_value_sats bigint,
  from_script bytea,
  to_txid text not null,
  to_vout bigint not null,
  to_offset bigint not null,
  to_value_sats bigint,
  to_script bytea,
  primary key (height, position)
);
create index inscription_moves_sequence on inscription_moves (sequence, height);
