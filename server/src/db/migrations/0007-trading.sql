-- Trading complete: royalties, the market's own transactions by purpose, bumps, guarantees, a log that is only added to.
alter table collections
  add column royalty_script bytea,
  add column seller_royalty_bps integer not null default 0 check (seller_royalty_bps between 0 and 5000),
  add column buyer_royalty_bps integer not null default 0 check (buyer_royalty_bps between 0 and 5000);

-- offset of the inscription's sat in its coin
alter table listings add column sat_offset bigint not null default 0;

alter table market_transactions
  add column purpose text not null default 'split' check (purpose in ('split', 'void', 'recovery', 'bump'));
-- when an anchor was retired: it is spent soon after
alter table market_coins
  add column retired_at timestamptz,
  -- the market's own transaction that spends the coin, once written
  add column spending_txid text;
update market_coins set retired_at = now() where retired;
create index market_coins_retired on market_coins (retired_at) where retired and spent_height is null;
create index market_coins_spent on market_coins (spent_height) where spent_height is not null;

-- the kernel's Carrier: a tail coin, or pads
alter table purchases rename column tail_coin to carrier;
update purchases set carrier = jsonb_build_object('by', 'tail', 'tail', carrier);

alter table purchases
  -- the kernel's PurchaseTerms and everybody's signatures but the market's, as signed
  add column settlement jsonb,
  -- height of the tip when the package was first sent
  add column broadcast_height integer,
  -- the market's latest child of the settlement, of market_transactions, and what it pays: {txid, feeSats}
  add column bump jsonb;

-- How safe an ended listing's seller is: the market refuses to co-sign; the anchor is spent but not yet in a block; the
-- pre-signed transfer can never confirm.
alter table order_events
  add column guarantee text check (guarantee in ('refused', 'anchor-spent', 'impossible')),
  -- the event of an undone block that this one takes back
  add column undoes bigint references order_events;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger order_events_append_only before update or delete or truncate on order_events
  for each statement execute function refuse_change();
