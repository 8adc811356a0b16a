-- The inbox of each profile: one row per event, written in the transaction of the event.

create or replace function notify_owner(owner bytea, kind text, subject text, at timestamptz, inscription_id text default null,
  collection_id uuid default null, proposal_id uuid default null, price_sats bigint default null, expires_at timestamptz default null)
returns void language sql as $$
  insert into inbox (profile_id, kind, subject, at, inscription_id, collection_id, proposal_id, price_sats, expires_at, is_read)
  select p.profile_id, notify_owner.kind, notify_owner.subject, notify_owner.at, notify_owner.inscription_id, notify_owner.collection_id,
    notify_owner.proposal_id, notify_owner.price_sats, notify_owner.expires_at,
    notify_owner.at < coalesce((select value::timestamptz from settings where name = 'restored at'), '-infinity')
  from profiles p where p.ordinals_script = owner
  -- A block that was undone and indexed again.
  on conflict on constraint inbox_once do update set undone = false where inbox.undone
$$;
comment on function notify_owner is
  'Adds an event to the inbox of an address, unless the address never signed in. Events before a restore are not unread.';

-- The data is empty: servers of the previous release send it to everyone.
create or replace function publish_inbox() returns trigger language plpgsql as $$
begin
  insert into live_events (kind, data, profile_id) select distinct 'inbox', jsonb '{}', profile_id from changed;
  return null;
end $$;
comment on function publish_inbox is
  'Tells the pages of a profile that its inbox changed.';
create or replace trigger inbox_published after insert on inbox referencing new table as changed
  for each statement execute function publish_inbox();
create or replace trigger inbox_read_published after update on inbox referencing new table as changed
  for each statement execute function publish_inbox();

create or replace function notify_of_offer() returns trigger language plpgsql as $$
begin
  if new.kind = 'seller_counter' then
    perform notify_owner(new.buyer_script, 'counter', new.offer_id::text, new.created_at, new.inscription_id, new.collection_id,
      null, new.price_sats, new.expires_at);
    return null;
  end if;
  -- Only a new highest offer, so that low offers cannot fill an inbox.
  if exists (select from offers o where o.inscription_id = new.inscription_id and o.state = 'active' and o.kind = 'buyer_offer'
      and o.offer_id <> new.offer_id and o.price_sats >= new.price_sats and o.expires_at > new.created_at) then
    return null;
  end if;
  perform notify_owner(new.seller_script, 'offer', new.offer_id::text, new.created_at, new.inscription_id, new.collection_id,
    null, new.price_sats, new.expires_at);
  perform notify_owner(o.buyer_script, 'outbid', o.offer_id::text, new.created_at, o.inscription_id, o.collection_id, null, new.price_sats)
  from (select * from offers where inscription_id = new.inscription_id and state = 'active' and kind = 'buyer_offer'
      and offer_id <> new.offer_id and expires_at > new.created_at
    order by price_sats desc, created_at, offer_id limit 1) o
  where o.buyer_script <> new.buyer_script;
  return null;
end $$;
comment on function notify_of_offer is
  'Notifies the owner of an item, and the bidder of the offer that was the highest.';
create or replace trigger offers_notified after insert on offers for each row execute function notify_of_offer();

create or replace function notify_of_collection_offer() returns trigger language plpgsql as $$
begin
  perform notify_owner(b.ordinals_script, 'outbid', o.offer_id::text, new.created_at, null, o.collection_id, null, new.price_sats)
  from (select * from collection_offers where collection_id = new.collection_id and criteria_hash = new.criteria_hash
      and state = 'active' and offer_id <> new.offer_id and expires_at > new.created_at
    order by price_sats desc, created_at, offer_id limit 1) o
    join wallet_bindings b using (wallet_binding_id)
  where o.price_sats < new.price_sats
    and b.profile_id <> (select profile_id from wallet_bindings where wallet_binding_id = new.wallet_binding_id);
  return null;
end $$;
comment on function notify_of_collection_offer is
  'Notifies the bidder of the collection offer that was the best for the same items.';
create or replace trigger collection_offers_notified after insert on collection_offers
  for each row execute function notify_of_collection_offer();

create or replace function notify_of_acceptance() returns trigger language plpgsql as $$
begin
  perform notify_owner(p.creator_script, 'acceptance', new.acceptance_id::text, new.created_at, (new.items -> 0 ->> 'inscriptionId'), null,
    new.proposal_id, null, new.expires_at)
  from proposals p where p.proposal_id = new.proposal_id;
  return null;
end $$;
comment on function notify_of_acceptance is
  'Notifies the creator of a proposal, who signs last.';
create or replace trigger acceptances_notified after insert on acceptances for each row execute function notify_of_acceptance();

create or replace function notify_of_listing() returns trigger language plpgsql as $$
begin
  perform notify_owner(l.seller_script, 'listing_ended', l.listing_id::text,
    coalesce((select mined_at from blocks where height = new.height), new.occurred_at), l.inscription_id, l.collection_id, null, l.price_sats)
  from listings l where l.listing_id = new.listing_id;
  perform notify_of_escrow(e) from listings l join escrows e on e.txid = l.transfer_txid and e.vout = l.escrow_vout
  where l.listing_id = new.listing_id;
  return null;
end $$;
comment on function notify_of_listing is
  'Notifies the seller of a listing that ended without the seller.';
create or replace trigger order_events_notified after insert on order_events for each row
  when (new.to_state in ('expired', 'invalidated') and new.from_state <> new.to_state and new.undoes is null)
  execute function notify_of_listing();

create or replace function notify_of_sale() returns trigger language plpgsql as $$
declare
  s sales := case tg_op when 'DELETE' then old else new end;
begin
  if tg_op = 'DELETE' then
    update inbox set undone = true
    where kind in ('sold', 'delivered') and subject = s.txid || ':' || s.inscription_id
      and profile_id in (select profile_id from profiles where ordinals_script in (s.seller_script, s.buyer_script));
    return null;
  end if;
  perform notify_owner(s.seller_script, 'sold', s.txid || ':' || s.inscription_id, s.sold_at, s.inscription_id, s.collection_id,
    null, s.price_sats);
  perform notify_owner(s.buyer_script, 'delivered', s.txid || ':' || s.inscription_id, s.sold_at, s.inscription_id, s.collection_id,
    null, s.price_sats);
  return null;
end $$;
comment on function notify_of_sale is
  'Notifies both sides of a sale, or withdraws the events of a sale that was undone.';
create or replace trigger sales_notified after insert on sales for each row
  when (new.sale_type = 'internal') execute function notify_of_sale();
create or replace trigger sales_undone_notified after delete on sales for each row
  when (old.sale_type = 'internal') execute function notify_of_sale();

create or replace function settling_parties(s settlements)
returns table (owner bytea, inscription_id text, collection_id uuid, proposal_id uuid, price_sats bigint) language sql stable as $$
  select l.seller_script, p.inscription_id, l.collection_id, null::uuid, l.price_sats
    from purchase_listings p join listings l using (listing_id) where p.purchase_id = s.settlement_id
  union all select case o.kind when 'buyer_offer' then o.buyer_script else o.seller_script end, o.inscription_id, o.collection_id,
      null, o.price_sats from offers o where o.settlement_id = s.settlement_id
  union all select b.ordinals_script, c.filled_inscription_id, c.collection_id, null, c.price_sats
    from collection_offers c join wallet_bindings b using (wallet_binding_id) where c.settlement_id = s.settlement_id
  union all select a.acceptor_script, s.inscription_ids[1], null, a.proposal_id, null
    from acceptances a where a.settlement_id = s.settlement_id
$$;
comment on function settling_parties is
  'The parties of a settlement that signed before the one who submitted it.';

create or replace function notify_of_settlement() returns trigger language plpgsql as $$
begin
  if new.state = 'broadcast' then
    perform notify_owner(p.owner, 'settling', new.settlement_id || ':' || p.inscription_id, clock_timestamp(), p.inscription_id,
      p.collection_id, p.proposal_id, p.price_sats)
    from settling_parties(new) p;
  elsif new.state = 'failed' then
    perform notify_of_escrow(e) from inscriptions i join escrows e on e.txid = i.txid and e.vout = i.vout
    where i.inscription_id = any(new.inscription_ids);
  elsif new.state = 'confirmed' then
    perform notify_owner(party.owner, 'delivered', new.settlement_txid, coalesce(b.mined_at, clock_timestamp()), party.received, null,
      a.proposal_id)
    from acceptances a join proposals p using (proposal_id) left join blocks b on b.height = new.confirmed_height,
      lateral (select p.creator_script as owner, 'acceptor' as giver union all select a.acceptor_script, 'proposer') side,
      lateral (select side.owner, (select item ->> 'inscriptionId' from jsonb_array_elements(a.items) item
        order by (item ->> 'from' = side.giver) desc limit 1) as received) party
    where a.settlement_id = new.settlement_id;
  end if;
  return null;
end $$;
comment on function notify_of_settlement is
  'Notifies the parties of a settlement that was broadcast or failed, and of a swap that confirmed.';
create or replace trigger settlements_notified after update of state on settlements for each row
  when ((old.state = 'intended' and new.state = 'broadcast') or (new.state = 'failed' and old.state <> 'failed')
    or (new.kind = 'swap' and new.state = 'confirmed' and old.state <> 'confirmed'))
  execute function notify_of_settlement();

create or replace function withdraw_swap() returns trigger language plpgsql as $$
begin
  update inbox set undone = true
  where kind = 'delivered' and subject = new.settlement_txid and profile_id in (select profile_id from profiles where ordinals_script in (
    select unnest(array[p.creator_script, a.acceptor_script]) from acceptances a join proposals p using (proposal_id)
    where a.settlement_id = new.settlement_id));
  return null;
end $$;
comment on function withdraw_swap is
  'Withdraws the events of a swap that was undone.';
create or replace trigger settlements_undone_notified after update of state on settlements for each row
  when (new.kind = 'swap' and old.state = 'confirmed' and new.state <> 'confirmed') execute function withdraw_swap();

create or replace function notify_of_escrow(e escrows) returns void language sql as $$
  select notify_owner(e.seller_script, 'escrow', e.txid || ':' || e.vout, coalesce(b.mined_at, clock_timestamp()), e.inscription_id,
    e.collection_id)
  from inscriptions i left join blocks b on b.height = e.made_height
  where i.inscription_id = e.inscription_id and i.txid = e.txid and i.vout = e.vout and e.made_height is not null
    and not exists (select from market_transactions t where t.txid = e.txid and t.purpose = 'move')
    and not exists (select from listings l where l.inscription_id = e.inscription_id
      and l.state in ('buyable', 'hidden_locked', 'pending_public'))
    and not exists (select from settlements s where s.state in ('intended', 'broadcast') and e.inscription_id = any(s.inscription_ids))
$$;
comment on function notify_of_escrow is
  'Notifies the owner of an item that is in escrow, neither listed nor in a trade.';

create or replace function notify_of_transfer() returns trigger language plpgsql as $$
begin
  perform notify_of_escrow(new);
  return null;
end $$;
comment on function notify_of_transfer is
  'Notifies the owner of an item that its block left in escrow.';
-- Deferred to commit: the sale of the same block moves the item on.
drop trigger if exists escrows_notified on escrows;
create constraint trigger escrows_notified after update of made_height on escrows deferrable initially deferred for each row
  when (old.made_height is null and new.made_height is not null) execute function notify_of_transfer();

create or replace function notify_of_sign_in() returns trigger language plpgsql as $$
begin
  perform notify_owner(p.ordinals_script, 'sign_in', coalesce(new.client_hint, ''), new.began_at)
  from profiles p where p.profile_id = new.profile_id and not exists (
    select from sessions s where s.session_id = new.session_id and s.token_sha256 <> new.token_sha256);
  -- The first sign-in of a profile is known.
  update inbox set is_read = true where profile_id = new.profile_id and kind = 'sign_in' and not is_read and not exists (
    select from inbox other where other.profile_id = new.profile_id and other.kind = 'sign_in' and other.inbox_id <> inbox.inbox_id);
  return null;
end $$;
comment on function notify_of_sign_in is
  'Notifies a profile of a sign-in with another client than before.';
create or replace trigger sessions_notified after insert on sessions for each row execute function notify_of_sign_in();
