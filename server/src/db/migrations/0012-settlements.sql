-- Packages of transactions that are sent for somebody: one mechanism follows purchases, accepted offers, counters, fills.
create table settlements (
  settlement_id uuid primary key,
  kind text not null check (kind in ('purchase', 'offer', 'counter', 'fill')),
  settlement_txid text not null,
  inscription_ids text[] not null,
  -- [{txid, hex, feeSats}] in broadcast order, the settlement last of those it needs
  transactions jsonb not null,
  state text not null check (state in ('intended', 'broadcast', 'confirmed', 'failed')),
  failure text,
  -- height of the tip when the package was first sent
  broadcast_height integer,
  confirmed_height integer,
  -- the market's latest child of the settlement, of market_transactions, and what it pays: {txid, feeSats}
  bump jsonb,
  created_at timestamptz not null default now()
);
create index settlements_txid on settlements (settlement_txid);
create index settlements_live on settlements (state) where state in ('intended', 'broadcast');
create index settlements_height on settlements (confirmed_height) where confirmed_height is not null;

insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state, failure,
    broadcast_height, confirmed_height, bump)
  select p.purchase_id, 'purchase', p.settlement_txid,
    array(select l.inscription_id from purchase_listings b join listings l using (listing_id)
      where b.purchase_id = p.purchase_id order by b.position),
    (select jsonb_agg(t || jsonb_build_object('feeSats', case when t ->> 'txid' = p.settlement_txid then p.fee_sats else 330 end)
      order by n) from jsonb_array_elements(p.transactions) with ordinality as each (t, n)),
    p.state, p.failure, p.broadcast_height, p.confirmed_height, p.bump
  from purchases p where p.transactions is not null;

-- A purchase is prepared until it has an answer; from then on it is a settlement.
drop index purchases_live, purchases_binding;
alter table purchases drop column transactions, drop column state, drop column failure, drop column broadcast_height,
  drop column confirmed_height, drop column bump;
create index purchases_prepared on purchases (wallet_binding_id) where answer is null;

-- One live settlement a coin.
alter table purchase_coins rename to settlement_coins;
alter table settlement_coins rename column purchase_id to settlement_id;
alter table settlement_coins drop constraint purchase_coins_purchase_id_fkey;
alter index purchase_coins_live rename to settlement_coins_live;
alter index purchase_coins_purchase rename to settlement_coins_settlement;

-- The key of a payment address that is not taproot, as its owner's last sign-in showed it: needed to spend what an
-- accepted offer paid there.
alter table wallet_bindings add column payment_key bytea;
