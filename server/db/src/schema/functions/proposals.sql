-- The derived table `proposal_collections`, and the column `available` of proposals.

create or replace function is_available(p uuid, creator bytea) returns boolean language sql stable as $$
  select not exists (
    select 1 from proposal_items o left join inscriptions i using (inscription_id)
    where o.proposal_id = p and (i.owner_script is distinct from creator
      or exists (select 1 from mempool_spends m where m.txid = i.txid and m.vout = i.vout)
      or exists (select 1 from live_listing_with(o.inscription_id) l where l.state = 'hidden_locked')
      or exists (select 1 from settlements s
        where s.state in ('intended', 'broadcast') and moves_with(o.inscription_id, s.inscription_ids))))
    and not exists (select 1 from backing_coins b where b.offer_id = p and b.gone is not null)
$$;
comment on function is_available is
  'Whether the creator holds everything a proposal offers, none of it in a pending trade, and its payment coins are unspent.';

create or replace function proposal_collections_of(id uuid) returns setof proposal_collections language sql stable as $$
  select c.collection_id, p.created_at, p.proposal_id from proposals p, lateral (
    select collection_id from proposal_requests g where g.proposal_id = p.proposal_id
    union select m.collection_id from proposal_items o join collection_items m using (inscription_id)
      where o.proposal_id = p.proposal_id) c
  where p.proposal_id = id and p.state = 'active' and p.visibility = 'public' and p.available
$$;
comment on function proposal_collections_of is
  'Expected rows of proposal_collections for a proposal.';

create or replace function refresh_proposals(ids uuid[]) returns void language plpgsql as $$
begin
  if cardinality(ids) = 0 then return; end if;
  -- Lock before computing, so that the update sees what a concurrent refresh has committed.
  perform 1 from proposals where proposal_id = any(ids) order by proposal_id for no key update;
  update proposals set available = is_available(proposal_id, creator_script),
    rendered_row = null, rendered_version = rendered_version + 1
  where proposal_id = any(ids);
  delete from proposal_collections where proposal_id = any(ids);
  insert into proposal_collections
  select r.* from unnest(ids) as each (proposal_id), lateral proposal_collections_of(each.proposal_id) r;
  perform announce(array['proposals']);
end $$;
comment on function refresh_proposals is
  'Recomputes availability and collections of proposals and drops their rendered rows.';

create or replace function drop_rendered_proposals(ids text[]) returns void language plpgsql as $$
begin
  update proposals set rendered_row = null, rendered_version = rendered_version + 1
  where proposal_id in (select g.proposal_id from collection_items m join proposal_requests g using (collection_id)
    where m.inscription_id = any(ids) and g.target ->> 'kind' = 'inscriptions');
  if found then perform announce(array['proposals']); end if;
end $$;
comment on function drop_rendered_proposals is
  'Drops the rendered rows of proposals that request named inscriptions, in the collections of the given inscriptions.';

-- Deferred to commit: items and requests of a new proposal are written after it.
create or replace function refresh_proposal() returns trigger language plpgsql as $$
begin
  perform refresh_proposals(array[new.proposal_id]);
  return null;
end $$;
comment on function refresh_proposal is
  'Refreshes a new or changed proposal.';
drop trigger if exists proposals_made on proposals;
create constraint trigger proposals_made after insert on proposals
  deferrable initially deferred for each row execute function refresh_proposal();
create or replace trigger proposals_moved after update of state, visibility, expires_at on proposals
  for each row execute function refresh_proposal();

create or replace function refresh_locked_proposals() returns trigger language plpgsql as $$
begin
  perform refresh_proposals(array(
    select distinct i.proposal_id from changed n join before o using (listing_id)
      cross join unnest(n.inscription_ids) as each (id) join proposal_items i on i.inscription_id = each.id
    where o.state <> n.state and 'hidden_locked' in (o.state, n.state)));
  return null;
end $$;
comment on function refresh_locked_proposals is
  'Refreshes the proposals that offer inscriptions when trades lock or release the listings of their coins.';
create or replace trigger listings_locked after update on listings
  referencing old table as before new table as changed for each statement execute function refresh_locked_proposals();

create or replace function refresh_settling_proposals() returns trigger language plpgsql as $$
begin
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id in (
    select o.id from unnest(new.inscription_ids) as each (id), inscriptions_with(each.id) as o (id))));
  return null;
end $$;
comment on function refresh_settling_proposals is
  'Refreshes proposals that offer inscriptions of a settlement.';
create or replace trigger settlements_moved after insert or update of state on settlements
  for each row execute function refresh_settling_proposals();

create or replace function refresh_paying_proposals() returns trigger language plpgsql as $$
begin
  perform refresh_proposals(array(
    select proposal_id from proposals where proposal_id in (select offer_id from deleted_coins where gone is not null)));
  return null;
end $$;
comment on function refresh_paying_proposals is
  'Refreshes proposals whose spent payment coins are no longer watched, because the proposals ended.';
create or replace trigger backing_coins_deleted after delete on backing_coins referencing old table as deleted_coins
  for each statement execute function refresh_paying_proposals();
