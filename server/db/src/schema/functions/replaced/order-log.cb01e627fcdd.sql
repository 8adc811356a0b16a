-- The order log: every public change of an order, written in the transaction of the change. A job assigns its position later
-- (order-log/seal.ts); positions never change.

create or replace function utc(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
comment on function utc is
  'A time as text, independent of session settings.';

create or replace function log_change(change jsonb) returns void language plpgsql as $$
begin
  if change is null then return; end if;
  insert into order_log_queue (change) values (jsonb_strip_nulls(log_change.change));
end $$;
comment on function log_change is
  'Queues a change for the order log.';

create or replace function collection_facts(c uuid) returns jsonb language sql stable as $$
  select jsonb_build_object('collection', slug, 'collectionName', name) from collections where collection_id = c
$$;
comment on function collection_facts is
  'A collection''s fields in the order log.';

create or replace function listing_change(e order_events) returns jsonb language sql stable as $$
  select jsonb_build_object('kind', 'listing', 'id', e.listing_id, 'from', e.from_state, 'to', e.to_state, 'reason', e.reason,
      'guarantee', e.guarantee, 'height', e.height, 'at', utc(e.occurred_at))
    || case when e.from_state is not null then '{}' else collection_facts(l.collection_id) || jsonb_build_object(
      'inscriptionId', l.inscription_id, 'seller', encode(l.seller_script, 'hex'), 'priceSats', l.price_sats,
      'coin', l.coin_txid || ':' || l.coin_vout, 'transferTxid', l.transfer_txid, 'expiresAt', utc(l.expires_at)) end
  from listings l where l.listing_id = e.listing_id
$$;
comment on function listing_change is
  'A state change of a listing for the order log; the first also has the listing''s fields.';

create or replace function log_listing() returns trigger language plpgsql as $$
begin
  perform log_change(listing_change(new));
  return null;
end $$;
comment on function log_listing is
  'Logs a state change of a listing.';
create or replace trigger order_events_logged after insert on order_events for each row execute function log_listing();

create or replace function public_state(state text) returns text language sql immutable as $$
  select case when state in ('accepting', 'filling') then 'active' else state end
$$;
comment on function public_state is
  'Public state of an offer.';

create or replace function offer_made(o offers) returns jsonb language sql stable as $$
  select collection_facts(o.collection_id) || jsonb_build_object('kind', 'offer', 'id', o.offer_id, 'to', 'active',
    'at', utc(o.created_at), 'inscriptionId', o.inscription_id, 'buyer', encode(o.buyer_script, 'hex'),
    'seller', encode(o.seller_script, 'hex'), 'priceSats', o.price_sats, 'postageSats', o.postage_sats,
    'economics', o.economics, 'expiresAt', utc(o.expires_at))
$$;
comment on function offer_made is
  'A new offer for the order log.';

create or replace function offer_moved(o offers, was text) returns jsonb language sql stable as $$
  select jsonb_build_object('kind', 'offer', 'id', o.offer_id, 'from', public_state(was), 'to', public_state(o.state),
    'at', utc(coalesce(o.ended_at, clock_timestamp())), 'txid', case o.state when 'accepted' then o.settlement_txid end)
$$;
comment on function offer_moved is
  'A state change of an offer for the order log.';

create or replace function log_offer() returns trigger language plpgsql as $$
begin
  perform log_change(case tg_op when 'INSERT' then offer_made(new) else offer_moved(new, old.state) end);
  return null;
end $$;
comment on function log_offer is
  'Logs an offer.';
-- Counter-offers are private.
create or replace trigger offers_logged after insert on offers for each row
  when (new.kind = 'buyer_offer') execute function log_offer();
create or replace trigger offers_moved_logged after update of state on offers for each row
  when (new.kind = 'buyer_offer' and public_state(old.state) is distinct from public_state(new.state))
  execute function log_offer();

create or replace function collection_offer_made(o collection_offers) returns jsonb language sql stable as $$
  select collection_facts(o.collection_id) || jsonb_build_object('kind', 'collection-offer', 'id', o.offer_id, 'to', 'active',
    'at', utc(o.created_at), 'maker', encode(b.payment_script, 'hex'), 'scope', o.scope_label, 'criteria', o.criteria,
    'eligibleRoot', o.eligible_root, 'eligibleCount', o.eligible_count, 'priceSats', o.price_sats,
    'expiresAt', utc(o.expires_at))
  from wallet_bindings b where b.wallet_binding_id = o.wallet_binding_id
$$;
comment on function collection_offer_made is
  'A new collection offer for the order log.';

create or replace function collection_offer_moved(o collection_offers, was text) returns jsonb language sql stable as $$
  select jsonb_build_object('kind', 'collection-offer', 'id', o.offer_id, 'from', public_state(was),
      'to', public_state(o.state), 'at', utc(coalesce(o.ended_at, clock_timestamp())))
    || case o.state when 'filled' then jsonb_build_object('inscriptionId', o.filled_inscription_id,
      'seller', encode(o.seller_script, 'hex'),
      'txid', (select settlement_txid from settlements s where s.settlement_id = o.settlement_id)) else '{}' end
$$;
comment on function collection_offer_moved is
  'A state change of a collection offer for the order log.';

create or replace function log_collection_offer() returns trigger language plpgsql as $$
begin
  perform log_change(case tg_op when 'INSERT' then collection_offer_made(new) else collection_offer_moved(new, old.state) end);
  return null;
end $$;
comment on function log_collection_offer is
  'Logs a collection offer.';
create or replace trigger collection_offers_logged after insert on collection_offers
  for each row execute function log_collection_offer();
create or replace trigger collection_offers_moved_logged after update of state on collection_offers for each row
  when (public_state(old.state) is distinct from public_state(new.state)) execute function log_collection_offer();

create or replace function proposal_made(p proposals) returns jsonb language sql stable as $$
  select jsonb_build_object('kind', 'proposal', 'id', p.proposal_id, 'to', 'active', 'at', utc(p.created_at),
    'creator', encode(p.creator_script, 'hex'), 'offeredSats', p.offered_btc_sats, 'requestedSats', p.requested_btc_sats,
    'inscriptionIds', (select coalesce(jsonb_agg(inscription_id order by position), '[]') from proposal_items i
      where i.proposal_id = p.proposal_id),
    'wanted', (select coalesce(jsonb_agg(jsonb_build_object('collection', c.slug, 'quantity', w.quantity, 'target', w.target)
        order by w.position), '[]')
      from proposal_requests w join collections c using (collection_id) where w.proposal_id = p.proposal_id),
    'expiresAt', utc(p.expires_at))
$$;
comment on function proposal_made is
  'A new public proposal for the order log.';

create or replace function proposal_moved(p proposals, was text) returns jsonb language sql stable as $$
  select jsonb_build_object('kind', 'proposal', 'id', p.proposal_id, 'from', was, 'to', p.state,
    'at', utc(coalesce(p.ended_at, clock_timestamp())))
$$;
comment on function proposal_moved is
  'A state change of a public proposal for the order log.';

create or replace function log_proposal() returns trigger language plpgsql as $$
begin
  perform log_change(case tg_op when 'INSERT' then proposal_made(new) else proposal_moved(new, old.state) end);
  return null;
end $$;
comment on function log_proposal is
  'Logs a public proposal.';
-- Deferred to commit, since the transaction also writes its items.
drop trigger if exists proposals_logged on proposals;
create constraint trigger proposals_logged after insert on proposals deferrable initially deferred for each row
  when (new.visibility = 'public') execute function log_proposal();
create or replace trigger proposals_moved_logged after update of state on proposals for each row
  when (new.visibility = 'public' and old.state is distinct from new.state) execute function log_proposal();

create or replace function trade_change(s settlements) returns jsonb language sql stable as $$
  select jsonb_build_object('kind', 'trade', 'id', s.settlement_id, 'to', case s.state when 'confirmed' then 'sold' else 'undone' end,
    'at', utc(coalesce((select mined_at from blocks b where b.height = s.confirmed_height), clock_timestamp())),
    'txid', s.settlement_txid, 'height', s.confirmed_height, 'inscriptionIds', to_jsonb(s.inscription_ids),
    'proposer', encode(p.creator_script, 'hex'), 'acceptor', encode(a.acceptor_script, 'hex'))
  from acceptances a join proposals p using (proposal_id) where a.settlement_id = s.settlement_id
$$;
comment on function trade_change is
  'A swap that confirmed, or was undone, for the order log.';

create or replace function log_trade() returns trigger language plpgsql as $$
begin
  perform log_change(trade_change(new));
  return null;
end $$;
comment on function log_trade is
  'Logs a swap.';
create or replace trigger settlements_logged after update of state on settlements for each row
  when (new.kind = 'swap' and (old.state = 'confirmed') is distinct from (new.state = 'confirmed'))
  execute function log_trade();

create or replace function sale_change(s sales, undone boolean) returns jsonb language sql stable as $$
  select jsonb_build_object('kind', 'sale', 'id', s.txid || ':' || s.inscription_id,
    'to', case when undone then 'undone' else 'sold' end, 'at', utc(s.sold_at), 'txid', s.txid, 'height', s.height,
    'inscriptionId', s.inscription_id, 'seller', encode(s.seller_script, 'hex'), 'buyer', encode(s.buyer_script, 'hex'),
    'priceSats', s.price_sats) || coalesce(collection_facts(s.collection_id), '{}')
$$;
comment on function sale_change is
  'A sale of this market for the order log.';

create or replace function log_sale() returns trigger language plpgsql as $$
begin
  perform log_change(case tg_op when 'INSERT' then sale_change(new, false) else sale_change(old, true) end);
  return null;
end $$;
comment on function log_sale is
  'Logs a sale of this market.';
-- External sales are not logged.
create or replace trigger sales_logged after insert on sales for each row
  when (new.sale_type = 'internal') execute function log_sale();
create or replace trigger sales_undone_logged after delete on sales for each row
  when (old.sale_type = 'internal') execute function log_sale();

create or replace trigger order_log_append_only before update or delete or truncate on order_log
  for each statement execute function refuse_change();
create or replace trigger order_log_hashes_append_only before update or delete or truncate on order_log_hashes
  for each statement execute function refuse_change();
