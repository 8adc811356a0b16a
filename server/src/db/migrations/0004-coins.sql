-- The market's own coins, the transactions that it makes of them, and its books.

-- The market's own coins: 330-sat anchors, tail coins, and the coins that these are made from. docs/reference/market-coins.md prints the moves
-- between their states.
create table market_coins (
  txid text not null,
  vout bigint not null,
  value_sats bigint not null,
  -- null: the block that held the coin was undone
  height integer,
  spent_height integer,
  -- handle of the order that the coin is held for
  reserved_for uuid,
  -- an anchor whose transfer must never confirm: only ever spent by the market itself
  retired boolean not null default false,
  -- when an anchor was retired: it is spent soon after
  retired_at timestamptz,
  -- the market's own transaction that spends the coin, once written
  spending_txid text,
  -- the wallet without funds that the coin is held for: such wallets share a small budget
  taken_by uuid,
  -- an output of a coinbase: no transaction can spend it before 100 confirmations
  coinbase boolean not null default false,
  immature boolean not null default false,
  -- when a preflight last named the coin: others are named before it
  named_at timestamptz,
  -- the wallet for whose order the coin is held
  caused_by uuid,
  -- the transaction of a block that spends it
  spent_txid text,
  -- the coin's share of the fee of the split that made it, until it is booked to the user of the coin
  cost_sats bigint not null default 0,
  state text not null generated always as (case
    when spent_height is not null then 'spent'
    when height is null then 'absent'
    when spending_txid is not null then 'spending'
    when retired then 'retired'
    when reserved_for is not null then 'held'
    when immature then 'immature'
    else 'free' end) stored,
  primary key (txid, vout)
);
create index market_coins_caused on market_coins (caused_by) where state in ('held', 'retired', 'spending');
create index market_coins_free on market_coins (value_sats, named_at) where state = 'free';
create index market_coins_height on market_coins (height);
create index market_coins_immature on market_coins (height) where immature;
create index market_coins_reserved on market_coins (reserved_for);
create index market_coins_retired on market_coins (retired_at) where state = 'retired';
create index market_coins_spent on market_coins (spent_height) where spent_height is not null;
create index market_coins_taken on market_coins (taken_by) where taken_by is not null and spent_height is null;

-- The moves that db/functions/market-coins.sql allows. A test compares them with server/src/market-coins/states.ts.
create table market_coin_moves (
  from_state text not null,
  to_state text not null,
  primary key (from_state, to_state)
);
insert into market_coin_moves values
  ('new', 'free'), ('new', 'immature'), ('immature', 'free'), ('free', 'immature'),
  ('free', 'held'), ('free', 'spending'), ('held', 'free'), ('held', 'retired'), ('held', 'spending'),
  ('retired', 'held'), ('retired', 'spending'),
  ('spending', 'free'), ('spending', 'held'), ('spending', 'retired'),
  ('free', 'spent'), ('held', 'spent'), ('retired', 'spent'), ('spending', 'spent'),
  ('spent', 'free'), ('spent', 'held'), ('spent', 'retired'), ('spent', 'spending'),
  ('held', 'absent'), ('retired', 'absent'), ('spending', 'absent'),
  ('absent', 'held'), ('absent', 'retired'), ('absent', 'spending');

-- Transactions that the market makes of its own coins, written before they are sent.
create table market_transactions (
  txid text primary key,
  handle uuid not null,
  raw_hex text not null,
  state text not null check (state in ('intended', 'confirmed', 'failed')),
  confirmed_height integer,
  created_at timestamptz not null default now(),
  purpose text not null default 'split' check (purpose in ('split', 'void', 'recovery', 'bump', 'reclaim', 'move'))
);

-- The causes of a transaction's effect on the market's coins: written with the transaction, booked with its block.
create table market_causes (
  txid text not null,
  n integer not null,
  purpose text not null,
  wallet_binding_id uuid,
  order_id uuid,
  inscription_id text,
  -- the amount that is booked; null: an equal share of the rest
  sats bigint,
  -- when a package with it was last sent, or is about to be; null: none was, as far as the market knows
  sent_at timestamptz,
  primary key (txid, n)
);
create index market_causes_sent on market_causes (sent_at) where purpose = 'transfer';

-- Every sat that came to the market's coins or left them in a block: +, -. The sum is what the unspent coins hold.
create table market_ledger (
  entry_id bigint generated always as identity primary key,
  height integer not null,
  txid text not null,
  purpose text not null,
  sats bigint not null,
  wallet_binding_id uuid,
  order_id uuid,
  inscription_id text,
  booked_at timestamptz not null
);
create index market_ledger_height on market_ledger (height);
create index market_ledger_inscription on market_ledger (inscription_id, booked_at) where inscription_id is not null;
create index market_ledger_time on market_ledger (booked_at) where wallet_binding_id is not null;
create index market_ledger_wallet on market_ledger (wallet_binding_id, booked_at) where wallet_binding_id is not null;
