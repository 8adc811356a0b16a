-- What pages and others follow live (GET /events), written by whatever changes it, in the transaction of the change. Read in
-- the order of transactions, and only what is older than every transaction still open: so none that commits late is missed.
-- Kept for a day.
create table live_events (
  transaction_id xid8 not null default pg_current_xact_id(),
  event_id bigint generated always as identity,
  kind text not null check (kind in ('listing', 'sale', 'offer', 'collection_offer', 'proposal', 'floor', 'block')),
  data jsonb not null,
  occurred_at timestamptz not null default clock_timestamp(),
  primary key (transaction_id, event_id)
);
create index live_events_age on live_events (occurred_at);

create function tell(what text, about jsonb) returns void language plpgsql as $$
begin
  insert into live_events (kind, data) values (what, about);
end $$;

create function slugs_of(id text) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(c.slug order by c.slug), '[]') from collection_items m join collections c using (collection_id)
  where m.inscription_id = id
$$;

create function tell_listing() returns trigger language plpgsql as $$
begin
  if new.from_state is not distinct from new.to_state then return null; end if;
  perform tell('listing', jsonb_build_object('listingId', l.listing_id, 'inscriptionId', l.inscription_id,
    'state', new.to_state, 'priceSats', l.price_sats, 'collections', slugs_of(l.inscription_id)))
    from listings l where l.listing_id = new.listing_id;
  return null;
end $$;
create trigger order_events_told after insert on order_events for each row execute function tell_listing();

create function tell_sale() returns trigger language plpgsql as $$
begin
  -- Nobody follows what an index reads of the past.
  if new.sold_at < now() - interval '1 day' then return null; end if;
  perform tell('sale', jsonb_build_object('inscriptionId', new.inscription_id, 'priceSats', new.price_sats,
    'txid', new.txid, 'saleType', new.sale_type, 'collections', slugs_of(new.inscription_id)));
  return null;
end $$;
create trigger sales_told after insert on sales for each row execute function tell_sale();

create function tell_offer() returns trigger language plpgsql as $$
begin
  perform tell('offer', jsonb_build_object('offerId', new.offer_id, 'inscriptionId', new.inscription_id,
    'state', case new.state when 'accepting' then 'active' else new.state end,
    'priceSats', case new.kind when 'buyer_offer' then new.price_sats end, 'collections', slugs_of(new.inscription_id)));
  return null;
end $$;
create trigger offers_told after insert on offers for each row execute function tell_offer();
create trigger offers_moved_told after update of state on offers for each row
  when (old.state is distinct from new.state) execute function tell_offer();

create function tell_collection_offer() returns trigger language plpgsql as $$
begin
  perform tell('collection_offer', jsonb_build_object('offerId', new.offer_id,
    'state', case new.state when 'filling' then 'active' else new.state end, 'priceSats', new.price_sats,
    'collections', (select jsonb_build_array(slug) from collections where collection_id = new.collection_id)));
  return null;
end $$;
create trigger collection_offers_told after insert on collection_offers
  for each row execute function tell_collection_offer();
create trigger collection_offers_moved_told after update of state on collection_offers for each row
  when (old.state is distinct from new.state) execute function tell_collection_offer();

-- A private proposal is nobody's business; its two sides ask.
create function tell_proposal() returns trigger language plpgsql as $$
begin
  perform tell('proposal', jsonb_build_object('proposalId', new.proposal_id,
    'state', new.state, 'available', new.available));
  return null;
end $$;
create trigger proposals_told after insert on proposals for each row
  when (new.visibility = 'public') execute function tell_proposal();
create trigger proposals_moved_told after update of state, available on proposals for each row
  when (new.visibility = 'public' and (old.state, old.available) is distinct from (new.state, new.available))
  execute function tell_proposal();

create function tell_floor() returns trigger language plpgsql as $$
begin
  perform tell('floor', jsonb_build_object('collections', jsonb_build_array(new.slug), 'floorSats', new.floor_sats,
    'listedCount', new.listed_count));
  return null;
end $$;
create trigger collection_floors_told after update on collection_floors for each row
  when ((old.floor_sats, old.listed_count) is distinct from (new.floor_sats, new.listed_count))
  execute function tell_floor();

-- A block confirms what waits for one; one that goes, the other way. Nobody follows what an index reads of the past.
create function tell_block() returns trigger language plpgsql as $$
declare
  b blocks := case tg_op when 'DELETE' then old else new end;
begin
  perform tell('block', jsonb_build_object('height', b.height, 'hash', b.block_hash, 'undone', tg_op = 'DELETE'));
  return null;
end $$;
create trigger blocks_told after insert on blocks for each row
  when (new.mined_at > now() - interval '1 day') execute function tell_block();
create trigger blocks_undone_told after delete on blocks for each row
  when (old.mined_at > now() - interval '1 day') execute function tell_block();
