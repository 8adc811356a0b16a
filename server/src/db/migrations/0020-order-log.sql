-- The log of every public change of an order (server/src/order-log), and marks of orders that were imported with it.
-- oldest code: 0013

-- Changes that have no position yet.
create table order_changes (
  change_id bigint generated always as identity primary key,
  change jsonb not null
);

create table order_log (
  position bigint primary key,
  change jsonb not null
);

-- The signatures of an imported order are of another market: it stays ended.
alter table listings add column imported boolean not null default false,
  add constraint listings_imported_ended
    check (not imported or state in ('sold', 'cancelled', 'expired', 'invalidated', 'replaced'));
alter table offers add column imported boolean not null default false,
  add constraint offers_imported_ended
    check (not imported or state in ('accepted', 'rejected', 'cancelled', 'expired', 'invalidated'));

-- install: live-events.sql a05028cf30b4
-- install: order-log.sql 558efde5ece0

-- The history so far, as the rows tell it.
insert into order_changes (change)
select jsonb_strip_nulls(change) from (
  select occurred_at as at, 1 as stage, event_id as n, listing_change(e) as change from order_events e
  union all select created_at, 2, 0, offer_made(o) from offers o where kind = 'buyer_offer'
  union all select ended_at, 3, 0, offer_moved(o, 'active') from offers o
    where kind = 'buyer_offer' and ended_at is not null and state not in ('active', 'accepting')
  union all select created_at, 2, 0, collection_offer_made(o) from collection_offers o
  union all select ended_at, 3, 0, collection_offer_moved(o, 'active') from collection_offers o
    where ended_at is not null and state not in ('active', 'filling')
  union all select created_at, 2, 0, proposal_made(p) from proposals p where visibility = 'public'
  union all select ended_at, 3, 0, proposal_moved(p, 'active') from proposals p
    where visibility = 'public' and ended_at is not null and state <> 'active'
  union all select b.mined_at, 4, 0, trade_change(s) from settlements s join blocks b on b.height = s.confirmed_height
    where s.kind = 'swap' and s.state = 'confirmed'
  union all select sold_at, 4, sale_id, sale_change(s, false) from sales s where sale_type = 'internal'
) happened where change is not null
order by at, stage, n, change ->> 'id';
