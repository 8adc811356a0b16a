-- The wallet without funds that a coin of the market is reserved for: such wallets share a small budget.
alter table market_coins add column taken_by uuid;
create index market_coins_taken on market_coins (taken_by) where taken_by is not null and spent_height is null;
