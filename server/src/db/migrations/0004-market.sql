-- The market's own coins, from the chain: 330-sat anchors, tail coins, and what they are made from.
create table market_coins (
  txid text not null,
  vout bigint not null,
  value_sats bigint not null,
  height integer not null,
  spent_height integer,
  -- handle of what the coin is kept for; until when, null = until its spend confirms
  reserved_for uuid,
  reserved_until timestamptz,
  -- an anchor whose transfer must never confirm: only ever spent by the market itself
  retired boolean not null default false,
  primary key (txid, vout)
);
create index market_coins_free on market_coins (value_sats) where spent_height is null and not retired;
create index market_coins_reserved on market_coins (reserved_for);
create index market_coins_height on market_coins (height);

-- Transactions that the market makes of its own coins, written before they are sent.
create table market_transactions (
  txid text primary key,
  handle uuid not null,
  raw_hex text not null,
  state text not null check (state in ('intended', 'confirmed', 'failed')),
  confirmed_height integer,
  created_at timestamptz not null default now()
);
