-- Offers on one inscription and their counters, offers on a collection or a trait, and the coins behind them.

-- Offers on one inscription, and sellers' counters to them.
create table offers (
  offer_id uuid primary key,
  kind text not null check (kind in ('buyer_offer', 'seller_counter')),
  parent_offer_id uuid references offers,
  collection_id uuid not null references collections,
  inscription_id text not null,
  buyer_binding_id uuid not null references wallet_bindings,
  buyer_script bytea not null,
  -- the holder of the inscription when the offer was made
  seller_script bytea not null,
  -- a counter's maker
  seller_binding_id uuid references wallet_bindings,
  price_sats bigint not null,
  -- value of the inscription's coin
  postage_sats bigint not null,
  economics jsonb not null,
  -- the kernel's OfferTerms or CounterTerms
  terms jsonb not null,
  -- its maker's, in the order in which the kernel names them
  signatures jsonb not null,
  fee_rate_sat_vb double precision not null,
  floor_sats bigint,
  top_offer_sats bigint,
  -- a counter's: until it is accepted there is no other
  settlement_txid text,
  payout_txid text,
  settlement_id uuid,
  anchor_utxo_id uuid unique,
  transfer_txid text,
  transfer_height integer,
  -- accepting: an acceptance is written and not known to be out
  state text not null check (state in ('active', 'accepting', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  recovery_handle uuid,
  -- A seller who takes a bid pays the part of the network's fee that the bidder has not paid. `paid_sats` pays for
  -- `settlement_vsize` at low rates; at higher ones for all of `package_vsize`.
  receive_sats bigint not null default 0,
  settlement_vsize bigint not null default 0,
  package_vsize bigint not null default 0,
  paid_sats bigint not null default 0,
  -- whether it can be taken at the present fee rate (the jobs update it); others are listed, and count for nothing
  executable boolean not null default true,
  check ((kind = 'seller_counter') = (parent_offer_id is not null and anchor_utxo_id is not null))
);
create unique index offers_countered on offers (parent_offer_id) where state in ('active', 'accepting');
create index offers_expiry on offers (expires_at) where state = 'active';
create index offers_history on offers (inscription_id, created_at desc, offer_id desc);
create index offers_live on offers (inscription_id, price_sats desc, created_at, offer_id) where state = 'active';
create index offers_received on offers (seller_script, inscription_id) where state = 'active';
create unique index offers_recovery on offers (recovery_handle) where recovery_handle is not null;
-- the same offer stands once, and one counter on an offer
create unique index offers_same on offers (settlement_txid) where kind = 'buyer_offer' and state in ('active', 'accepting');
create index offers_sent on offers (buyer_script, created_at desc, offer_id desc) where state = 'active';
create index offers_settlement on offers (settlement_id) where settlement_id is not null;
create index offers_transfer on offers (transfer_txid) where transfer_txid is not null;

-- Append-only: the history of offers, for each side to read.
create table offer_events (
  event_id bigint generated always as identity primary key,
  offer_id uuid not null references offers,
  event_type text not null check (event_type in ('created', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  buyer_script bytea not null,
  seller_script bytea not null,
  occurred_at timestamptz not null
);
create index offer_events_buyer on offer_events (buyer_script, occurred_at desc, event_id desc);
create index offer_events_seller on offer_events (seller_script, occurred_at desc, event_id desc);

-- The inscriptions that an offer takes, as of when it was made; sorted.
create table eligible_sets (
  eligible_root text primary key,
  inscription_ids text[] not null
);

-- Offers on any item of a collection, or any with some traits.
create table collection_offers (
  offer_id uuid primary key,
  collection_id uuid not null references collections,
  wallet_binding_id uuid not null references wallet_bindings,
  -- CollectionOfferTarget, canonical; and the text that is hashed
  target jsonb not null,
  scope_label text not null,
  criteria text not null,
  criteria_hash text not null,
  eligible_root text not null references eligible_sets,
  eligible_count integer not null,
  sample_inscription_id text not null,
  price_sats bigint not null,
  -- the kernel's CollectionOfferTerms
  terms jsonb not null,
  -- on the funding parent, by payment
  signatures jsonb not null,
  funding_txid text not null,
  secret_hash text not null unique,
  state text not null check (state in ('active', 'filling', 'filled', 'cancelled', 'replaced', 'expired', 'invalidated')),
  reason text,
  -- the fill under way or done
  settlement_id uuid,
  filled_inscription_id text,
  filled_sat_offset bigint,
  seller_script bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- taken back, and the guardian knows
  revoked_at timestamptz,
  receive_sats bigint not null default 0,
  settlement_vsize bigint not null default 0,
  package_vsize bigint not null default 0,
  paid_sats bigint not null default 0,
  executable boolean not null default true
);
create index collection_offers_book on collection_offers (collection_id, price_sats desc, created_at, offer_id)
  where state = 'active';
create index collection_offers_expiry on collection_offers (expires_at) where state = 'active';
create index collection_offers_own on collection_offers (wallet_binding_id, criteria_hash) where state = 'active';
create index collection_offers_revocable on collection_offers (ended_at)
  where state in ('cancelled', 'replaced') and revoked_at is null;
create index collection_offers_root on collection_offers (eligible_root);
create unique index collection_offers_same on collection_offers (funding_txid) where state in ('active', 'filling');
create index collection_offers_settlement on collection_offers (settlement_id) where settlement_id is not null;

-- The coins that live offers, acceptances and proposals depend on: payments, and the coin of a named inscription.
create table backing_coins (
  txid text not null,
  vout bigint not null,
  offer_id uuid not null,
  -- why the coin is not there; null while it is. Offers that ended for it keep their rows until they would have expired
  gone text,
  -- whether to ask the node about the coin again
  recheck boolean not null default false,
  primary key (txid, vout, offer_id)
);
create index backing_coins_to_recheck on backing_coins (txid, vout) where recheck;
create index backing_coins_offer on backing_coins (offer_id);

-- Owners who decline collection and trait offers on an inscription, until it changes hands.
create table declined_bids (
  inscription_id text primary key,
  owner_script bytea not null,
  declined_at timestamptz not null
);
