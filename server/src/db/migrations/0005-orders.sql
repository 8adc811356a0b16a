-- The order book: prepared and live listings, purchases, sales, and the log of everything that happened to an order.
create table listing_drafts (
  anchor_utxo_id uuid primary key,
  wallet_binding_id uuid not null references wallet_bindings,
  collection_id uuid not null references collections,
  inscription_id text not null,
  price_sats bigint not null,
  -- the kernel's ListingTerms
  terms jsonb not null,
  economics jsonb not null,
  recovery_handle uuid not null,
  expires_at timestamptz not null,
  -- set when submitted; the same submit then answers the same
  listing_id uuid
);
create index listing_drafts_expiry on listing_drafts (expires_at);

create table listings (
  listing_id uuid primary key,
  anchor_utxo_id uuid not null unique,
  recovery_handle uuid not null,
  collection_id uuid not null references collections,
  inscription_id text not null,
  wallet_binding_id uuid not null references wallet_bindings,
  seller_script bytea not null,
  price_sats bigint not null,
  terms jsonb not null,
  economics jsonb not null,
  transfer_txid text not null,
  -- T as confirmed without its sale, null while it is not
  transfer_height integer,
  transfer_signature bytea not null,
  leg_signature bytea not null,
  recovery_signature bytea not null,
  -- the batch that the recovery covers, and this item's place in it
  recovery_batch uuid not null,
  recovery_index integer not null,
  state text not null check (state in
    ('buyable', 'hidden_locked', 'pending_public', 'sold', 'cancelled', 'expired', 'invalidated', 'replaced')),
  listed_at timestamptz not null,
  expires_at timestamptz,
  ended_at timestamptz
);
-- one live listing an inscription: races are settled here
create unique index listings_live on listings (inscription_id)
  where state in ('buyable', 'hidden_locked', 'pending_public');
create index listings_recent on listings (listed_at desc, listing_id desc) where state = 'buyable';
create index listings_price on listings (price_sats, listed_at desc, listing_id desc) where state = 'buyable';
create index listings_collection on listings (collection_id, listed_at);
create index listings_expiry on listings (expires_at) where state = 'buyable';
create index listings_transfer on listings (transfer_txid);

create table purchases (
  -- the handle that preflight gives: purchaseAnchorUtxoId
  purchase_id uuid primary key,
  wallet_binding_id uuid not null references wallet_bindings,
  collection_id uuid not null references collections,
  -- the preflight request, canonical: submit must repeat it
  request jsonb not null,
  selected_coins jsonb not null,
  tail_coin jsonb not null,
  fee_rate_sat_vb double precision not null,
  fee_sats bigint not null,
  settlement_txid text not null,
  -- raw transactions in broadcast order, once signed: transfers, then the settlement
  transactions jsonb,
  answer jsonb,
  state text not null check (state in ('prepared', 'intended', 'broadcast', 'confirmed', 'failed')),
  failure text,
  expires_at timestamptz not null,
  confirmed_height integer
);
create index purchases_settlement on purchases (settlement_txid);
create index purchases_live on purchases (state) where state in ('intended', 'broadcast');
create index purchases_binding on purchases (wallet_binding_id) where state = 'prepared';

create table purchase_listings (
  purchase_id uuid not null references purchases on delete cascade,
  position integer not null,
  listing_id uuid not null references listings,
  pending_sale_id uuid not null,
  primary key (purchase_id, position)
);
create index purchase_listings_listing on purchase_listings (listing_id);

-- one live purchase a payment coin
create table purchase_coins (
  purchase_id uuid not null references purchases on delete cascade,
  txid text not null,
  vout bigint not null,
  live boolean not null
);
create unique index purchase_coins_live on purchase_coins (txid, vout) where live;
create index purchase_coins_purchase on purchase_coins (purchase_id);

create table sales (
  sale_id bigint generated always as identity primary key,
  sale_type text not null check (sale_type in ('internal', 'external')),
  txid text,
  inscription_id text not null,
  collection_id uuid references collections,
  seller_script bytea,
  buyer_script bytea,
  price_sats bigint not null,
  price_usd double precision,
  sold_at timestamptz not null,
  height integer not null,
  unique (txid, inscription_id)
);
create index sales_recent on sales (height desc, sale_id desc);
create index sales_inscription on sales (inscription_id, sale_id desc);

-- Append-only: each move of a listing, with its reason; `height` where a block caused it, so that a reorg can take it back.
create table order_events (
  event_id bigint generated always as identity primary key,
  listing_id uuid not null references listings,
  from_state text,
  to_state text not null,
  reason text not null,
  height integer,
  occurred_at timestamptz not null
);
create index order_events_listing on order_events (listing_id, event_id);
create index order_events_height on order_events (height) where height is not null;
