-- The events of GET /events, written in the transaction of each change (docs/events.md).

create or replace function tell(what text, about jsonb) returns void language plpgsql as $$
begin
  insert into live_events (kind, data) values (what, about);
end $$;
comment on function tell is
  'Writes an event for the subscribers of GET /events.';

create or replace function slugs_of(id text) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(c.slug order by c.slug), '[]') from collection_items m join collections c using (collection_id)
  where m.inscription_id = id
$$;
comment on function slugs_of is
  'The slugs of an inscription''s collections.';

create or replace function tell_listing() returns trigger language plpgsql as $$
begin
  if new.from_state is not distinct from new.to_state then return null; end if;
  perform tell('listing', jsonb_build_object('listingId', l.listing_id, 'inscriptionId', l.inscription_id,
    'state', new.to_state, 'priceSats', l.price_sats, 'collections', slugs_of(l.inscription_id)))
    from listings l where l.listing_id = new.listing_id;
  return null;
end $$;
comment on function tell_listing is
  'Publishes a listing''s new state.';
create or replace trigger order_events_told after insert on order_events for each row execute function tell_listing();

-- Old sales stay silent: an index that reads the past finds many.
create or replace function tell_sale() returns trigger language plpgsql as $$
begin
  -- An index that reads the past publishes nothing.
  if new.sold_at < now() - interval '1 day' then return null; end if;
  perform tell('sale', jsonb_build_object('inscriptionId', new.inscription_id, 'priceSats', new.price_sats,
    'txid', new.txid, 'saleType', new.sale_type, 'collections', slugs_of(new.inscription_id)));
  return null;
end $$;
comment on function tell_sale is
  'Publishes a sale of the last day.';
create or replace trigger sales_told after insert on sales for each row execute function tell_sale();

create or replace function tell_offer() returns trigger language plpgsql as $$
begin
  perform tell('offer', jsonb_build_object('offerId', new.offer_id, 'inscriptionId', new.inscription_id,
    'state', case new.state when 'accepting' then 'active' else new.state end,
    'priceSats', case new.kind when 'buyer_offer' then new.price_sats end, 'collections', slugs_of(new.inscription_id)));
  return null;
end $$;
comment on function tell_offer is
  'Publishes an offer''s new state.';
create or replace trigger offers_moved_told after update of state on offers for each row
  when (old.state is distinct from new.state) execute function tell_offer();
create or replace trigger offers_told after insert on offers for each row execute function tell_offer();

create or replace function tell_collection_offer() returns trigger language plpgsql as $$
begin
  perform tell('collection_offer', jsonb_build_object('offerId', new.offer_id,
    'state', case new.state when 'filling' then 'active' else new.state end, 'priceSats', new.price_sats,
    'collections', (select jsonb_build_array(slug) from collections where collection_id = new.collection_id)));
  return null;
end $$;
comment on function tell_collection_offer is
  'Publishes a collection offer''s new state.';
create or replace trigger collection_offers_moved_told after update of state on collection_offers for each row
  when (old.state is distinct from new.state) execute function tell_collection_offer();
create or replace trigger collection_offers_told after insert on collection_offers
  for each row execute function tell_collection_offer();

-- A private proposal is no public event; its two sides ask.
create or replace function tell_proposal() returns trigger language plpgsql as $$
begin
  perform tell('proposal', jsonb_build_object('proposalId', new.proposal_id,
    'state', new.state, 'available', new.available));
  return null;
end $$;
comment on function tell_proposal is
  'Publishes the state and availability of a public proposal.';
create or replace trigger proposals_moved_told after update of state, available on proposals for each row
  when (new.visibility = 'public' and (old.state, old.available) is distinct from (new.state, new.available))
  execute function tell_proposal();
create or replace trigger proposals_told after insert on proposals for each row
  when (new.visibility = 'public') execute function tell_proposal();

create or replace function tell_floor() returns trigger language plpgsql as $$
begin
  perform tell('floor', jsonb_build_object('collections', jsonb_build_array(new.slug), 'floorSats', new.floor_sats,
    'listedCount', new.listed_count));
  return null;
end $$;
comment on function tell_floor is
  'Publishes a collection''s new floor or number of listings.';
create or replace trigger collection_floors_told after update on collection_floors for each row
  when ((old.floor_sats, old.listed_count) is distinct from (new.floor_sats, new.listed_count))
  execute function tell_floor();

create or replace function tell_block() returns trigger language plpgsql as $$
declare
  b blocks := case tg_op when 'DELETE' then old else new end;
begin
  perform tell('block', jsonb_build_object('height', b.height, 'hash', b.block_hash, 'undone', tg_op = 'DELETE'));
  return null;
end $$;
comment on function tell_block is
  'Publishes a block that was indexed or undone.';
create or replace trigger blocks_told after insert on blocks for each row
  when (new.mined_at > now() - interval '1 day') execute function tell_block();
create or replace trigger blocks_undone_told after delete on blocks for each row
  when (old.mined_at > now() - interval '1 day') execute function tell_block();

-- pg_snapshot_xmin is of the whole cluster, so an open transaction of another database would hold back the live events of this
-- one. A transaction whose database is not known (it has just ended, or is prepared) counts as one of this. Stable, so that
-- its snapshot is the one of the calling statement.
create or replace function settled_before() returns xid8 language sql stable as $$
  select coalesce(min(open.id), pg_snapshot_xmax(pg_current_snapshot()))
  from pg_snapshot_xip(pg_current_snapshot()) as open (id)
  where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.transactionid = open.id::xid and l.mode = 'ExclusiveLock' and l.granted
      and a.datid <> (select oid from pg_database where datname = current_database()))
$$;
comment on function settled_before is
  'The transaction below which every transaction of this database is over.';
