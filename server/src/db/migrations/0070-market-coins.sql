-- Each coin of the market is in one state, which follows from what is known of it. docs/market-coins.md prints the moves.
drop index market_coins_free, market_coins_retired;
alter table market_coins
  drop column reserved_until,
  -- null: the block that held the coin was undone
  alter column height drop not null,
  -- an output of a coinbase: no transaction can spend it before 100 confirmations
  add column coinbase boolean not null default false,
  add column immature boolean not null default false,
  -- when a preflight last named the coin: others are named before it
  add column named_at timestamptz,
  -- the wallet for whose order the coin is held
  add column caused_by uuid,
  -- the transaction of a block that spends it
  add column spent_txid text,
  -- the coin's share of the fee of the split that made it, until it is booked to who used the coin
  add column cost_sats bigint not null default 0,
  add column state text not null generated always as (case
    when spent_height is not null then 'spent'
    when height is null then 'absent'
    when spending_txid is not null then 'spending'
    when retired then 'retired'
    when reserved_for is not null then 'held'
    when immature then 'immature'
    else 'free' end) stored;
create index market_coins_free on market_coins (value_sats, named_at) where state = 'free';
create index market_coins_retired on market_coins (retired_at) where state = 'retired';
create index market_coins_immature on market_coins (height) where immature;
create index market_coins_caused on market_coins (caused_by) where state in ('held', 'retired', 'spending');

create table market_coin_moves (
  from_state text not null,
  to_state text not null,
  primary key (from_state, to_state)
);
-- server/src/market-coins/states.ts says when each happens; a test compares the two.
insert into market_coin_moves values
  ('new', 'free'), ('new', 'immature'), ('immature', 'free'), ('free', 'immature'),
  ('free', 'held'), ('free', 'spending'), ('held', 'free'), ('held', 'retired'), ('held', 'spending'),
  ('retired', 'held'), ('retired', 'spending'),
  ('spending', 'free'), ('spending', 'held'), ('spending', 'retired'),
  ('free', 'spent'), ('held', 'spent'), ('retired', 'spent'), ('spending', 'spent'),
  ('spent', 'free'), ('spent', 'held'), ('spent', 'retired'), ('spent', 'spending'),
  ('held', 'absent'), ('retired', 'absent'), ('spending', 'absent'),
  ('absent', 'held'), ('absent', 'retired'), ('absent', 'spending');

create function check_market_coin() returns trigger language plpgsql as $$
declare before text := case tg_op when 'INSERT' then 'new' else old.state end;
begin
  if before <> new.state then
    if not exists (select 1 from market_coin_moves where from_state = before and to_state = new.state) then
      raise exception 'market coin %:% cannot go from % to %', new.txid, new.vout, before, new.state;
    end if;
  elsif new.state in ('held', 'retired') and old.reserved_for is distinct from new.reserved_for
    or new.state = 'spending' and old.spending_txid <> new.spending_txid then
    raise exception 'market coin %:% is % already', new.txid, new.vout, new.state;
  end if;
  return null;
end $$;
create trigger market_coins_moves after insert or update on market_coins
  for each row execute function check_market_coin();

-- The wallet whose submit had a package sent.
alter table settlements add column caused_by uuid;
