-- Bids that an owner can accept, and the owner's net.

create or replace function matches_target(target jsonb, traits jsonb) returns boolean language sql immutable as $$
  select target ->> 'kind' = 'all' or not exists (
    select 1 from jsonb_array_elements(target -> 'traits') as g (wanted)
    where not exists (
      select 1 from jsonb_to_recordset(traits) as t (type text, value text)
      where t.type = wanted ->> 'type' and wanted -> 'values' ? t.value))
$$;
comment on function matches_target is
  'Whether an item with these traits meets a target: groups are joined by AND, the values of a group by OR.';

-- Uses float8: numeric dominated queries over thousands of bids. As in bitcoin/src/sats.ts, fees are rounded up after subtracting a
-- millionth of a sat, to absorb floating-point noise.
create or replace function seller_net(receive_sats bigint, settlement_vsize bigint, package_vsize bigint, paid_sats bigint, rate float8)
returns bigint language sql immutable as $$
  select receive_sats - case when settlement_vsize * rate <= paid_sats then 0
    else greatest(ceil(package_vsize * rate - 0.000001)::bigint - paid_sats, 0) end
$$;
comment on function seller_net is
  'Net of the seller for a bid at a fee rate, in sats; may be negative.';

create or replace function declines_bids(inscription text) returns boolean language sql stable as $$
  select exists (select 1 from declined_bids d join inscriptions i using (inscription_id)
    where d.inscription_id = inscription and i.owner_script = d.owner_script)
$$;
comment on function declines_bids is
  'Whether the owner has turned off collection and trait offers on an inscription.';

-- `verified`: consider verified collections only.
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
comment on function best_collection_offer is
  'Best collection or trait offer of another profile that an inscription can fill now.';

create or replace function best_offer(inscription text, profile uuid, at timestamptz)
returns table (offer_id uuid, price_sats bigint) language sql stable as $$
  select o.offer_id, o.price_sats from offers o join wallet_bindings b on b.wallet_binding_id = o.buyer_binding_id
  where o.inscription_id = inscription and o.state = 'active' and o.kind = 'buyer_offer' and o.expires_at > at
    and b.profile_id is distinct from profile
  order by o.price_sats desc, o.created_at limit 1
$$;
comment on function best_offer is
  'Best offer of another profile on the inscription itself.';

-- `acceptance_rate` is the highest fee rate that an acceptance pays.
create or replace function bids_on(inscription text, profile uuid, at timestamptz, rate float8, acceptance_rate float8)
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
comment on function bids_on is
  'All bids of other profiles that the owner of an inscription can accept now, with the owner''s net.';

-- Servers cache the bids of a collection (server/http/src/responses).
create or replace function announce_collection_offer() returns trigger language plpgsql as $$
begin
  perform announce(array['o:' || new.collection_id]);
  return null;
end $$;
comment on function announce_collection_offer is
  'Announces changed bids on a collection.';
create or replace trigger collection_offers_announced after insert or update of state, executable on collection_offers
  for each row execute function announce_collection_offer();
