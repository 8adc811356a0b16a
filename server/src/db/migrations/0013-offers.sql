-- Bids: offers on one inscription and their counters, offers on a collection or a trait, and the coins behind them.

-- What a preflight prepared, by the handle that its submit names; then what was answered, for who asks again.
create table drafts (
  handle text primary key,
  kind text not null check (kind in ('offer', 'counter', 'counter-acceptance', 'collection-offer', 'fill')),
  wallet_binding_id uuid not null references wallet_bindings,
  -- what submit must repeat
  request jsonb not null,
  -- what it was made from, packed
  prepared jsonb not null,
  expires_at timestamptz not null,
  answer jsonb
);
create index drafts_abandoned on drafts (expires_at) where answer is null;
create index drafts_answered on drafts (expires_at) where answer is not null;

create table offers (
  offer_id uuid primary key,
  kind text not null check (kind in ('buyer_offer', 'seller_counter')),
  parent_offer_id uuid references offers,
  collection_id uuid not null references collections,
  inscription_id text not null,
  buyer_binding_id uuid not null references wallet_bindings,
  buyer_script bytea not null,
  -- who held the inscription when the offer was made
  seller_script bytea not null,
  -- a counter's maker
  seller_binding_id uuid references wallet_bindings,
  price_sats bigint not null,
  -- what the inscription's coin holds
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
  state text not null check (state in
    ('active', 'accepting', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  check ((kind = 'seller_counter') = (parent_offer_id is not null and anchor_utxo_id is not null))
);
create index offers_live on offers (inscription_id, price_sats desc, created_at, offer_id) where state = 'active';
create index offers_history on offers (inscription_id, created_at desc, offer_id desc);
create index offers_received on offers (seller_script, inscription_id) where state = 'active';
create index offers_sent on offers (buyer_script, created_at desc, offer_id desc) where state = 'active';
create index offers_expiry on offers (expires_at) where state = 'active';
create index offers_settlement on offers (settlement_id) where settlement_id is not null;
create index offers_transfer on offers (transfer_txid) where transfer_txid is not null;
-- the same offer stands once, and one counter on an offer
create unique index offers_same on offers (settlement_txid)
  where kind = 'buyer_offer' and state in ('active', 'accepting');
create unique index offers_countered on offers (parent_offer_id) where state in ('active', 'accepting');

-- Append-only: what happened to offers, for each side to read.
create table offer_events (
  event_id bigint generated always as identity primary key,
  offer_id uuid not null references offers,
  event_type text not null check (event_type in
    ('created', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  buyer_script bytea not null,
  seller_script bytea not null,
  occurred_at timestamptz not null
);
create index offer_events_buyer on offer_events (buyer_script, occurred_at desc, event_id desc);
create index offer_events_seller on offer_events (seller_script, occurred_at desc, event_id desc);
create trigger offer_events_append_only before update or delete or truncate on offer_events
  for each statement execute function refuse_change();

-- The inscriptions that an offer takes, as of when it was made; sorted.
create table eligible_sets (
  eligible_root text primary key,
  inscription_ids text[] not null
);

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
  revoked_at timestamptz
);
create index collection_offers_revocable on collection_offers (ended_at)
  where state in ('cancelled', 'replaced') and revoked_at is null;
create index collection_offers_book on collection_offers (collection_id, price_sats desc, created_at, offer_id)
  where state = 'active';
create index collection_offers_own on collection_offers (wallet_binding_id, criteria_hash) where state = 'active';
create index collection_offers_expiry on collection_offers (expires_at) where state = 'active';
create index collection_offers_settlement on collection_offers (settlement_id) where settlement_id is not null;
create index collection_offers_root on collection_offers (eligible_root);
create unique index collection_offers_same on collection_offers (funding_txid) where state in ('active', 'filling');

-- The coins that live offers of both tables rest on: payments, and the inscription's coin where it is a named one.
create table backing_coins (
  txid text not null,
  vout bigint not null,
  offer_id uuid not null,
  primary key (txid, vout, offer_id)
);
create index backing_coins_offer on backing_coins (offer_id);

-- What the node's mempool spends, as last seen. Nothing that a crash may not lose.
create unlogged table mempool_spends (
  txid text not null,
  vout bigint not null,
  spender text not null,
  primary key (txid, vout)
);
create index mempool_spends_spender on mempool_spends (spender);

-- True when an item of these traits is what a target asks for: groups are joined by AND, values of a group by OR.
create function matches_target(target jsonb, traits jsonb) returns boolean language sql immutable as $$
  select target ->> 'kind' = 'all' or not exists (
    select 1 from jsonb_array_elements(target -> 'traits') as g (wanted)
    where not exists (
      select 1 from jsonb_to_recordset(traits) as t (type text, value text)
      where t.type = wanted ->> 'type' and wanted -> 'values' ? t.value))
$$;

-- The best collection-wide or trait offer on an inscription that is not of this profile; `verified`: only of collections
-- that are.
create function best_collection_offer(inscription text, profile uuid, at timestamptz, verified boolean)
returns table (offer_id uuid, price_sats bigint) language sql stable as $$
  select best.offer_id, best.price_sats from (
    select o.offer_id, o.price_sats, o.created_at
    from collection_items m join collections c using (collection_id), lateral (
      select o.offer_id, o.price_sats, o.created_at
      from collection_offers o join wallet_bindings b using (wallet_binding_id)
      where o.collection_id = m.collection_id and o.state = 'active' and o.expires_at > at
        and b.profile_id is distinct from profile and matches_target(o.target, m.traits)
      order by o.price_sats desc, o.created_at, o.offer_id limit 1) o
    where m.inscription_id = inscription and c.trading_enabled
      and (not verified or c.verification_status = 'verified')
  ) best order by best.price_sats desc, best.created_at limit 1
$$;

-- The best offer on an inscription itself that is not of this profile.
create function best_offer(inscription text, profile uuid, at timestamptz)
returns table (offer_id uuid, price_sats bigint) language sql stable as $$
  select o.offer_id, o.price_sats from offers o join wallet_bindings b on b.wallet_binding_id = o.buyer_binding_id
  where o.inscription_id = inscription and o.state = 'active' and o.kind = 'buyer_offer' and o.expires_at > at
    and b.profile_id is distinct from profile
  order by o.price_sats desc, o.created_at limit 1
$$;

-- Who keeps the book of a collection in memory hears of its changes (http/pages.ts): tag `o:` and the collection.
create function announce_collection_offer() returns trigger language plpgsql as $$
begin
  perform announce(array['o:' || new.collection_id]);
  return null;
end $$;
create trigger collection_offers_announced after insert or update of state on collection_offers
  for each row execute function announce_collection_offer();

-- A proposal waits while a trade of any kind has what it offers in hand, listed or not.
create or replace function is_available(p uuid, creator bytea) returns boolean language sql stable as $$
  select not exists (
    select 1 from proposal_items o left join inscriptions i using (inscription_id)
    where o.proposal_id = p and (i.owner_script is distinct from creator
      or exists (select 1 from listings l where l.inscription_id = o.inscription_id and l.state = 'hidden_locked')
      or exists (select 1 from settlements s
        where s.state in ('intended', 'broadcast') and o.inscription_id = any(s.inscription_ids))))
$$;
create function follow_settlement() returns trigger language plpgsql as $$
begin
  perform refresh_proposals(array(select proposal_id from proposal_items where inscription_id = any(new.inscription_ids)));
  return null;
end $$;
create trigger settlements_followed after insert or update of state on settlements
  for each row execute function follow_settlement();
