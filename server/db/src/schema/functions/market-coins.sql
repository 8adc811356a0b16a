-- State transitions of the market's coins (docs/reference/market-coins.md).

create or replace function check_market_coin() returns trigger language plpgsql as $$
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
comment on function check_market_coin is
  'Raises an error on a state transition that market_coin_moves does not list.';
create or replace trigger market_coins_moves after insert or update on market_coins
  for each row execute function check_market_coin();
