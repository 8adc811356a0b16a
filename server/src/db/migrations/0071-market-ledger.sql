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
  -- when a package with it was last sent, or is about to be; null: none was, or not with our knowledge
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
create index market_ledger_time on market_ledger (booked_at) where wallet_binding_id is not null;
create index market_ledger_wallet on market_ledger (wallet_binding_id, booked_at) where wallet_binding_id is not null;
create index market_ledger_inscription on market_ledger (inscription_id, booked_at) where inscription_id is not null;

-- A market that has coins already opens its books with them.
insert into market_ledger (height, txid, purpose, sats, booked_at)
  select height, txid, 'opening', value_sats, now() from market_coins where spent_height is null;
