-- A seller who takes a bid pays the part of the network's fee that the bidder has not paid. `paid_sats` pays for
-- `settlement_vsize` at low rates; at higher ones all of `package_vsize` has to be paid for.
alter table offers
  add column receive_sats bigint not null default 0,
  add column settlement_vsize bigint not null default 0,
  add column package_vsize bigint not null default 0,
  add column paid_sats bigint not null default 0,
  -- It can be taken at the network's fee rate of now (the jobs follow that); others count for nothing, and are listed.
  add column executable boolean not null default true;
alter table collection_offers
  add column receive_sats bigint not null default 0,
  add column settlement_vsize bigint not null default 0,
  add column package_vsize bigint not null default 0,
  add column paid_sats bigint not null default 0,
  add column executable boolean not null default true;

-- The seller's net at a fee rate, in sats; may be below zero.
create function seller_net(receive_sats bigint, settlement_vsize bigint, package_vsize bigint, paid_sats bigint, rate float8)
returns bigint language sql immutable as $$
  select receive_sats - case when settlement_vsize * rate <= paid_sats then 0
    else greatest(ceil(round((package_vsize * rate)::numeric, 6))::bigint - paid_sats, 0) end
$$;

-- Owners who want no collection offers on an inscription; forgotten when it changes hands.
create table declined_bids (
  inscription_id text primary key,
  owner_script bytea not null,
  declined_at timestamptz not null
);

create function declines_bids(inscription text) returns boolean language sql stable as $$
  select exists (select 1 from declined_bids d join inscriptions i using (inscription_id)
    where d.inscription_id = inscription and i.owner_script = d.owner_script)
$$;

-- The best price of a collection-wide or trait offer that can be filled with an inscription now and is not of this
-- profile; `verified`: only of collections that are.
create or replace function best_collection_offer(inscription text, profile uuid, at timestamptz, verified boolean)
returns table (offer_id uuid, price_sats bigint) language sql stable as $$
  select best.offer_id, best.price_sats from (
    select o.offer_id, o.price_sats, o.created_at
    from collection_items m join collections c using (collection_id), lateral (
      select o.offer_id, o.price_sats, o.created_at
      from collection_offers o join wallet_bindings b using (wallet_binding_id)
      where o.collection_id = m.collection_id and o.state = 'active' and o.executable and o.expires_at > at
        and b.profile_id is distinct from profile and matches_target(o.target, m.traits)
      order by o.price_sats desc, o.created_at, o.offer_id limit 1) o
    where m.inscription_id = inscription and c.trading_enabled and not declines_bids(inscription)
      and (not verified or c.verification_status = 'verified')
  ) best order by best.price_sats desc, best.created_at limit 1
$$;

-- The bids of other profiles that the owner of an inscription may take now, each with the owner's net at a fee rate. An
-- acceptance never pays more than `acceptance_rate`.
create function bids_on(inscription text, profile uuid, at timestamptz, rate float8, acceptance_rate float8)
returns table (offer_id uuid, price_sats bigint, net_sats bigint, created_at timestamptz) language sql stable as $$
  select o.offer_id, o.price_sats,
    seller_net(o.receive_sats, o.settlement_vsize, o.package_vsize, o.paid_sats, rate), o.created_at
  from collection_items m join collections c using (collection_id)
    join collection_offers o using (collection_id) join wallet_bindings b using (wallet_binding_id)
  where m.inscription_id = inscription and c.trading_enabled and not declines_bids(inscription)
    and o.state = 'active' and o.executable and o.expires_at > at and b.profile_id is distinct from profile
    and matches_target(o.target, m.traits)
  union all
  select o.offer_id, o.price_sats,
    seller_net(o.receive_sats, o.settlement_vsize, o.package_vsize, o.paid_sats, acceptance_rate), o.created_at
  from offers o join wallet_bindings b on b.wallet_binding_id = o.buyer_binding_id
  where o.inscription_id = inscription and o.state = 'active' and o.executable and o.kind = 'buyer_offer'
    and o.expires_at > at and b.profile_id is distinct from profile
$$;

-- The pages that show the best offer hear of those that stop or begin to count, too.
drop trigger collection_offers_announced on collection_offers;
create trigger collection_offers_announced after insert or update of state, executable on collection_offers
  for each row execute function announce_collection_offer();
