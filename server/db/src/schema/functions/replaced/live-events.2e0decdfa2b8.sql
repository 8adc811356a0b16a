-- Events of GET /events, written in the transaction of each change (docs/reference/events.md).

create or replace function publish(what text, about jsonb) returns void language plpgsql as $$
begin
  insert into live_events (kind, data) values (what, about);
end $$;
comment on function publish is
  'Writes an event for GET /events.';

create or replace function slugs_of(ids text[]) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(distinct c.slug order by c.slug), '[]') from collection_items m join collections c using (collection_id)
  where m.inscription_id = any(ids)
$$;
comment on function slugs_of is
  'The slugs of the collections of inscriptions.';

create or replace function publish_listing() returns trigger language plpgsql as $$
begin
  if new.from_state is not distinct from new.to_state then return null; end if;
  perform publish('listing', jsonb_build_object('listingId', l.listing_id, 'inscriptionId', l.inscription_id,
    'state', new.to_state, 'priceSats', l.price_sats, 'collections', slugs_of(l.inscription_ids)))
    from listings l where l.listing_id = new.listing_id;
  return null;
end $$;
comment on function publish_listing is
  'Publishes a listing''s new state.';
create or replace trigger order_events_published after insert on order_events for each row execute function publish_listing();

create or replace function publish_sale() returns trigger language plpgsql as $$
begin
  -- The initial sync finds many old sales.
  if new.sold_at < now() - interval '1 day' then return null; end if;
  perform publish('sale', jsonb_build_object('inscriptionId', new.inscription_id, 'priceSats', new.price_sats,
    'txid', new.txid, 'saleType', new.sale_type, 'collections', slugs_of(array[new.inscription_id])));
  return null;
end $$;
comment on function publish_sale is
  'Publishes a sale of the last day.';
create or replace trigger sales_published after insert on sales for each row execute function publish_sale();

create or replace function publish_offer() returns trigger language plpgsql as $$
begin
  perform publish('offer', jsonb_build_object('offerId', new.offer_id, 'inscriptionId', new.inscription_id,
    'state', case new.state when 'accepting' then 'active' else new.state end,
    'priceSats', case new.kind when 'buyer_offer' then new.price_sats end, 'collections', slugs_of(array[new.inscription_id])));
  return null;
end $$;
comment on function publish_offer is
  'Publishes an offer''s new state.';
create or replace trigger offers_moved_published after update of state on offers for each row
  when (old.state is distinct from new.state) execute function publish_offer();
create or replace trigger offers_published after insert on offers for each row execute function publish_offer();

create or replace function publish_collection_offer() returns trigger language plpgsql as $$
begin
  perform publish('collection_offer', jsonb_build_object('offerId', new.offer_id,
    'state', case new.state when 'filling' then 'active' else new.state end, 'priceSats', new.price_sats,
    'collections', (select jsonb_build_array(slug) from collections where collection_id = new.collection_id)));
  return null;
end $$;
comment on function publish_collection_offer is
  'Publishes a collection offer''s new state.';
create or replace trigger collection_offers_moved_published after update of state on collection_offers for each row
  when (old.state is distinct from new.state) execute function publish_collection_offer();
create or replace trigger collection_offers_published after insert on collection_offers
  for each row execute function publish_collection_offer();

-- Private proposals are not published.
create or replace function publish_proposal() returns trigger language plpgsql as $$
begin
  perform publish('proposal', jsonb_build_object('proposalId', new.proposal_id,
    'state', new.state, 'available', new.available));
  return null;
end $$;
comment on function publish_proposal is
  'Publishes the state and availability of a public proposal.';
create or replace trigger proposals_moved_published after update of state, available on proposals for each row
  when (new.visibility = 'public' and (old.state, old.available) is distinct from (new.state, new.available))
  execute function publish_proposal();
create or replace trigger proposals_published after insert on proposals for each row
  when (new.visibility = 'public') execute function publish_proposal();

create or replace function publish_floor() returns trigger language plpgsql as $$
begin
  perform publish('floor', jsonb_build_object('collections', jsonb_build_array(new.slug), 'floorSats', new.floor_sats,
    'listedCount', new.listed_count));
  return null;
end $$;
comment on function publish_floor is
  'Publishes a collection''s new floor or number of listings.';
create or replace trigger collection_floors_published after update on collection_floors for each row
  when ((old.floor_sats, old.listed_count) is distinct from (new.floor_sats, new.listed_count))
  execute function publish_floor();

create or replace function publish_block() returns trigger language plpgsql as $$
declare
  b blocks := case tg_op when 'DELETE' then old else new end;
begin
  perform publish('block', jsonb_build_object('height', b.height, 'hash', b.block_hash, 'undone', tg_op = 'DELETE'));
  return null;
end $$;
comment on function publish_block is
  'Publishes a block that was indexed or undone.';
create or replace trigger blocks_published after insert on blocks for each row
  when (new.mined_at > now() - interval '1 day') execute function publish_block();
create or replace trigger blocks_undone_published after delete on blocks for each row
  when (old.mined_at > now() - interval '1 day') execute function publish_block();

-- pg_snapshot_xmin covers the whole cluster, so an open transaction in another database would delay this database's events.
-- Transactions whose database is unknown (just ended, or prepared) count as ours. Stable, so that it uses the snapshot of the
-- calling statement.
create or replace function settled_before() returns xid8 language sql stable as $$
  select coalesce(min(open.id), pg_snapshot_xmax(pg_current_snapshot()))
  from pg_snapshot_xip(pg_current_snapshot()) as open (id)
  where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.transactionid = open.id::xid and l.mode = 'ExclusiveLock' and l.granted
      and a.datid <> (select oid from pg_database where datname = current_database()))
$$;
comment on function settled_before is
  'Id below which all transactions of this database have ended.';
