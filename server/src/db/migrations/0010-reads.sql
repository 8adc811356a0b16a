-- What the reads need ready. Each of these tables and columns is derived: a function `..._of` says what it holds, by the
-- tables that are true; triggers keep it so, in the transaction of the change, whoever makes it; `operate -- rollups`
-- compares the two. The same triggers tell every server which pages have changed (channel `ordbook`, see
-- http/pages.ts): `c:ID` a collection's items, asks, sales and floor, and `collections`, `listings`, `sales`, `proposals`.

create function announce(tags text[]) returns void language plpgsql as $$
begin
  if cardinality(tags) > 500 then
    perform pg_notify('ordbook', '*');
  else
    perform pg_notify('ordbook', tag) from (select distinct unnest(tags) as tag) each;
  end if;
end $$;

-- ------------------------------------------------------------------------------------------------------------ cards
-- A card is a row as the API shows it, rendered by the server when it is first read after a change. A change sets it to
-- null and moves the version; a card is written only to the version that it was rendered from.
alter table collection_items
  add column card text,
  add column card_version integer not null default 0,
  -- when the card stops being true by itself, because its listing expires
  add column card_expires_at timestamptz;
alter table listings
  add column card text,
  add column card_version integer not null default 0;
alter table sales
  add column card text,
  add column card_version integer not null default 0;
-- Rows are rewritten in place, near where they were.
alter table collection_items set (fillfactor = 60);
alter table listings set (fillfactor = 70);
alter table sales set (fillfactor = 60);
-- How the cards that are there were rendered (db/cards.ts).
create table settings (
  name text primary key,
  value text not null
);
create index inscriptions_delegate on inscriptions (delegate_id) where delegate_id is not null;
drop index sales_inscription;
create index sales_inscription on sales (inscription_id, height desc, sale_id desc);

create function reset_item_cards(ids text[]) returns void language sql as $$
  update collection_items set card = null, card_version = card_version + 1, card_expires_at = null
  where inscription_id = any(ids)
$$;

-- In this order, as every other transaction takes these locks: a listing, then the items of its inscription.
create function reset_listing_cards(ids text[]) returns void language sql as $$
  update listings set card = null, card_version = card_version + 1
  where inscription_id = any(ids) and state in ('buyable', 'hidden_locked', 'pending_public')
$$;

create function reset_sale_cards(ids text[]) returns void language sql as $$
  update sales set card = null, card_version = card_version + 1 where inscription_id = any(ids)
$$;

create function announce_items() returns trigger language plpgsql as $$
begin
  perform announce(array(select distinct 'c:' || collection_id from changed where card is null));
  return null;
end $$;
create trigger collection_items_changed after update on collection_items
  referencing new table as changed for each statement execute function announce_items();

-- Rows of a feed: its name is the trigger's argument.
create function announce_feed() returns trigger language plpgsql as $$
begin
  if exists (select 1 from changed where card is null) then
    perform announce(array(select tg_argv[0]
      union select 'c:' || m.collection_id from changed r join collection_items m using (inscription_id) where r.card is null));
  end if;
  return null;
end $$;
create trigger listings_changed after update on listings
  referencing new table as changed for each statement execute function announce_feed('listings');
create trigger sales_changed after update on sales
  referencing new table as changed for each statement execute function announce_feed('sales');

-- --------------------------------------------------------------------------------------- asks, floors and their history
-- An ask is one time that a listing stood in the book, in each collection of its inscription. Derived from the order log.
create table asks (
  collection_id uuid not null references collections,
  listing_id uuid not null references listings,
  -- the event that put the listing into the book
  opened_by bigint not null,
  price_sats bigint not null,
  listed_at timestamptz not null,
  expires_at timestamptz,
  opened_at timestamptz not null,
  -- null while it stands; never after its expiry
  closed_at timestamptz,
  primary key (listing_id, opened_by, collection_id)
);
-- Cheapest first and, of one price, newest first: all one way, so that a page can begin after any row by one comparison.
create index asks_price on asks (collection_id, (-price_sats), listed_at, listing_id) where closed_at is null;
create index asks_recent on asks (collection_id, listed_at, listing_id) where closed_at is null;
create index asks_expiry on asks (collection_id, expires_at) where closed_at is null and expires_at is not null;
create index asks_opened on asks (collection_id, opened_at);
create index asks_closed on asks (collection_id, closed_at) where closed_at is not null;

create function asks_of(c uuid) returns setof asks language sql stable as $$
  with steps as (
    select e.listing_id, e.event_id, e.to_state, e.occurred_at,
      lead(e.occurred_at) over (partition by e.listing_id order by e.event_id) as left_at
    from collection_items m join listings l using (inscription_id) join order_events e using (listing_id)
    where m.collection_id = c and e.from_state is distinct from e.to_state
  )
  select c, s.listing_id, s.event_id, l.price_sats, l.listed_at, l.expires_at, s.occurred_at,
    case when s.left_at is not null then greatest(s.occurred_at, least(s.left_at, l.expires_at)) end
  from steps s join listings l using (listing_id)
  where s.to_state = 'buyable'
$$;

create table collection_floors (
  collection_id uuid primary key references collections,
  -- a slug stays its collection's for ever
  slug text not null unique,
  floor_sats bigint,
  listed_count integer not null,
  -- the next time that an ask ends by itself
  next_expiry_at timestamptz,
  rolled_at timestamptz not null,
  -- the statistics as the API shows them, as the cards below; true until card_until: the floors of a day and a week ago move on
  card text,
  card_version integer not null default 0,
  card_until timestamptz
);
alter table collection_floors set (fillfactor = 50);

-- The floor from a moment on, until the next row; null while nothing stands in the book.
create table floor_history (
  collection_id uuid not null references collections,
  since timestamptz not null,
  floor_sats bigint,
  primary key (collection_id, since)
);

create function floors_of(c uuid)
returns table (floor_sats bigint, listed_count integer, next_expiry_at timestamptz) language sql stable as $$
  select min(price_sats), count(*)::int, min(expires_at) from asks where collection_id = c and closed_at is null
$$;

-- The steps of a collection's floor at and after `begin_at`.
create function floor_history_of(c uuid, begin_at timestamptz) returns setof floor_history language sql stable as $$
  with times as (
    select opened_at as since from asks where collection_id = c and opened_at >= begin_at
    union select closed_at from asks where collection_id = c and closed_at >= begin_at
  ), floors as (
    (select since, floor_sats, false as new from floor_history
      where collection_id = c and since < begin_at order by since desc limit 1)
    union all
    select t.since, least(
      (select a.price_sats from asks a where a.collection_id = c and a.closed_at is null and a.opened_at <= t.since
        order by -a.price_sats desc limit 1),
      (select min(a.price_sats) from asks a
        where a.collection_id = c and a.closed_at > t.since and a.opened_at <= t.since)), true
    from times t
  ), steps as (
    select since, floor_sats, new, lag(floor_sats) over (order by since) as before from floors
  )
  select c, since, floor_sats from steps where new and floor_sats is distinct from before
$$;

create function follow_order_event() returns trigger language plpgsql as $$
declare
  l listings;
begin
  if new.from_state is not distinct from new.to_state then return null; end if;
  select * into l from listings where listing_id = new.listing_id;
  if new.from_state = 'buyable' then
    update asks set closed_at = greatest(opened_at, least(new.occurred_at, expires_at))
    where listing_id = new.listing_id and closed_at is null;
  end if;
  if new.to_state = 'buyable' then
    insert into asks (collection_id, listing_id, opened_by, price_sats, listed_at, expires_at, opened_at)
    select m.collection_id, l.listing_id, new.event_id, l.price_sats, l.listed_at, l.expires_at, new.occurred_at
    from collection_items m where m.inscription_id = l.inscription_id;
  end if;
  perform reset_item_cards(array[l.inscription_id]);
  return null;
end $$;
create trigger order_events_followed after insert on order_events
  for each row execute function follow_order_event();

-- Run when the transaction commits, so that two that trade in one collection wait for each other's commit alone. The row
-- is locked first and the floor looked up after, by a snapshot that sees whoever held the lock before.
create function follow_ask() returns trigger language plpgsql as $$
declare
  begin_at timestamptz := case when new.closed_at is null then new.opened_at else new.closed_at end;
begin
  if current_setting('ordbook.rebuilding', true) = 'on' then return null; end if;
  perform 1 from collection_floors where collection_id = new.collection_id for no key update;
  update collection_floors f set
    floor_sats = (select a.price_sats from asks a
      where a.collection_id = f.collection_id and a.closed_at is null order by -a.price_sats desc limit 1),
    listed_count = f.listed_count + case when new.closed_at is null then 1 else -1 end,
    next_expiry_at = (select min(a.expires_at) from asks a
      where a.collection_id = f.collection_id and a.closed_at is null and a.expires_at is not null),
    rolled_at = clock_timestamp(), card = null, card_version = f.card_version + 1
  where f.collection_id = new.collection_id;
  delete from floor_history where collection_id = new.collection_id and since >= begin_at;
  insert into floor_history select * from floor_history_of(new.collection_id, begin_at);
  perform announce(array['listings', 'c:' || new.collection_id]);
  return null;
end $$;
create constraint trigger asks_followed after insert or update on asks
  deferrable initially deferred for each row execute function follow_ask();

-- --------------------------------------------------------------------------------------------- sales by collection
create table collection_sales (
  collection_id uuid not null references collections,
  height integer not null,
  sale_id bigint not null references sales on delete cascade,
  primary key (collection_id, height, sale_id)
);
create index collection_sales_sale on collection_sales (sale_id);

create function collection_sales_of(c uuid) returns setof collection_sales language sql stable as $$
  select c, s.height, s.sale_id from collection_items m join sales s using (inscription_id) where m.collection_id = c
$$;

create function follow_sales() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into collection_sales
    select m.collection_id, s.height, s.sale_id from changed s join collection_items m using (inscription_id);
  end if;
  perform reset_item_cards(array(select distinct inscription_id from changed));
  perform announce(array['sales']);
  return null;
end $$;
create trigger sales_made after insert on sales
  referencing new table as changed for each statement execute function follow_sales();
create trigger sales_undone after delete on sales
  referencing old table as changed for each statement execute function follow_sales();

-- ----------------------------------------------------------------------------------------------- owners and counts
create table collection_owners (
  collection_id uuid not null references collections,
  owner_script bytea not null,
  item_count integer not null,
  primary key (collection_id, owner_script)
);
create table collection_counts (
  collection_id uuid primary key references collections,
  item_count integer not null,
  owner_count integer not null
);

create function collection_owners_of(c uuid) returns setof collection_owners language sql stable as $$
  select c, i.owner_script, count(*)::int from collection_items m join inscriptions i using (inscription_id)
  where m.collection_id = c and i.owner_script is not null group by i.owner_script
$$;

create function trait_counts_of(c uuid) returns setof trait_counts language sql stable as $$
  select c, t.type, t.value, count(distinct inscription_id)::int
  from collection_items, jsonb_to_recordset(traits) as t (type text, value text)
  where collection_id = c group by 2, 3
$$;

create function move_owner(c uuid, owner bytea, n integer) returns void language plpgsql as $$
declare
  held integer;
begin
  insert into collection_owners as o values (c, owner, n)
  on conflict (collection_id, owner_script) do update set item_count = o.item_count + excluded.item_count
  returning item_count into held;
  if held = 0 then
    delete from collection_owners where collection_id = c and owner_script = owner;
    update collection_counts set owner_count = owner_count - 1 where collection_id = c;
  elsif held = n then
    update collection_counts set owner_count = owner_count + 1 where collection_id = c;
  end if;
end $$;

-- At commit, as the asks do it: a block is long, and its collections are traded meanwhile.
create function follow_count() returns trigger language plpgsql as $$
begin
  update collection_floors set card = null, card_version = card_version + 1 where collection_id = new.collection_id;
  return null;
end $$;
create constraint trigger collection_counts_followed after update on collection_counts
  deferrable initially deferred for each row execute function follow_count();

-- What inscriptions that appear, move or vanish mean for everything derived. Few of them are in a collection.
create function follow_inscriptions() returns trigger language plpgsql as $$
declare
  ids text[];
begin
  if tg_op = 'UPDATE' then
    ids := array(select inscription_id from changed);
    perform move_owner(m.collection_id, o.owner_script, -1)
      from before o join changed n using (inscription_id) join collection_items m using (inscription_id)
      where o.owner_script is not null and o.owner_script is distinct from n.owner_script;
    perform move_owner(m.collection_id, n.owner_script, 1)
      from before o join changed n using (inscription_id) join collection_items m using (inscription_id)
      where n.owner_script is not null and o.owner_script is distinct from n.owner_script;
  else
    ids := array(select inscription_id from changed
      union select d.inscription_id from changed c join inscriptions d on d.delegate_id = c.inscription_id);
    perform move_owner(m.collection_id, c.owner_script, case tg_op when 'INSERT' then 1 else -1 end)
      from changed c join collection_items m using (inscription_id) where c.owner_script is not null;
    perform reset_sale_cards(ids);
    perform reset_wanting_cards(ids);
    perform reset_collection(collection_id) from collections where preview_inscription_id = any(ids);
  end if;
  perform reset_listing_cards(ids);
  perform reset_item_cards(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  return null;
end $$;
create trigger inscriptions_made after insert on inscriptions
  referencing new table as changed for each statement execute function follow_inscriptions();
create trigger inscriptions_moved after update on inscriptions
  referencing old table as before new table as changed for each statement execute function follow_inscriptions();
create trigger inscriptions_undone after delete on inscriptions
  referencing old table as changed for each statement execute function follow_inscriptions();

-- ------------------------------------------------------------------------------------------------------- proposals
alter table proposals drop constraint proposals_state_check;
update proposals set state = 'active' where state = 'invalidated';
alter table proposals
  add constraint proposals_state_check check (state in ('active', 'accepted', 'cancelled', 'expired')),
  add column ended_at timestamptz,
  -- every offered inscription is where its creator can give it away, and in no settlement under way
  add column available boolean not null default true,
  -- with holes where floors belong, and the collections whose floors these are (proposals/card.ts)
  add column card text,
  add column card_collections uuid[] not null default '{}',
  add column card_version integer not null default 0;
alter table proposals set (fillfactor = 60);
drop index proposals_feed;
create index proposals_feed on proposals (created_at desc, proposal_id desc)
  where state = 'active' and visibility = 'public' and available;
create index proposals_creator on proposals (creator_script, created_at desc, proposal_id desc);
create index proposals_expiry on proposals (expires_at) where state = 'active';

-- The feed by collection: what is offered from it or wanted of it, each proposal once.
create table proposal_collections (
  collection_id uuid not null references collections,
  created_at timestamptz not null,
  proposal_id uuid not null references proposals on delete cascade,
  primary key (collection_id, created_at, proposal_id)
);
create index proposal_collections_proposal on proposal_collections (proposal_id);

create function is_available(p uuid, creator bytea) returns boolean language sql stable as $$
  select not exists (
    select 1 from proposal_items o left join inscriptions i using (inscription_id)
    where o.proposal_id = p and (i.owner_script is distinct from creator
      or exists (select 1 from listings l where l.inscription_id = o.inscription_id and l.state = 'hidden_locked')))
$$;

create function proposal_collections_of(id uuid) returns setof proposal_collections language sql stable as $$
  select c.collection_id, p.created_at, p.proposal_id from proposals p, lateral (
    select collection_id from proposal_legs g where g.proposal_id = p.proposal_id
    union select m.collection_id from proposal_items o join collection_items m using (inscription_id)
      where o.proposal_id = p.proposal_id) c
  where p.proposal_id = id and p.state = 'active' and p.visibility = 'public' and p.available
$$;

create function refresh_proposals(ids uuid[]) returns void language plpgsql as $$
begin
  if cardinality(ids) = 0 then return; end if;
  update proposals set available = is_available(proposal_id, creator_script), card = null, card_version = card_version + 1
  where proposal_id = any(ids);
  delete from proposal_collections where proposal_id = any(ids);
  insert into proposal_collections
  select r.* from unnest(ids) as each (proposal_id), lateral proposal_collections_of(each.proposal_id) r;
  perform announce(array['proposals']);
end $$;

-- Cards of proposals that name what an inscription's collections hold.
create function reset_wanting_cards(ids text[]) returns void language plpgsql as $$
begin
  update proposals set card = null, card_version = card_version + 1
  where proposal_id in (select g.proposal_id from collection_items m join proposal_legs g using (collection_id)
    where m.inscription_id = any(ids) and g.target ->> 'kind' = 'inscriptions');
  if found then perform announce(array['proposals']); end if;
end $$;

create function follow_proposal() returns trigger language plpgsql as $$
begin
  perform refresh_proposals(array[new.proposal_id]);
  return null;
end $$;
-- At commit: what it offers and wants is written after it.
create constraint trigger proposals_made after insert on proposals
  deferrable initially deferred for each row execute function follow_proposal();
create trigger proposals_moved after update of state, visibility, expires_at on proposals
  for each row execute function follow_proposal();

create function follow_lock() returns trigger language plpgsql as $$
begin
  perform refresh_proposals(array(select proposal_id from proposal_items where inscription_id = new.inscription_id));
  return null;
end $$;
create trigger listings_locked after update of state on listings for each row
  when (old.state is distinct from new.state and 'hidden_locked' in (old.state, new.state))
  execute function follow_lock();

-- ----------------------------------------------------------------------------------------------------- collections
create function follow_collection() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into collection_floors (collection_id, slug, listed_count, rolled_at)
    values (new.collection_id, new.slug, 0, clock_timestamp());
    insert into collection_counts values (new.collection_id, 0, 0);
    perform announce(array['collections']);
  else
    perform reset_collection(new.collection_id);
  end if;
  return null;
end $$;

-- Every card that shows a collection.
create function reset_collection(c uuid) returns void language plpgsql as $$
begin
  update listings set card = null, card_version = card_version + 1
  where state in ('buyable', 'hidden_locked', 'pending_public')
    and inscription_id in (select inscription_id from collection_items where collection_id = c);
  -- Not what this transaction has just put in: nobody has read it yet.
  update collection_items set card = null, card_version = card_version + 1, card_expires_at = null
  where collection_id = c and xmin <> pg_current_xact_id()::xid;
  update sales set card = null, card_version = card_version + 1
  where sale_id in (
    select sale_id from collection_sales where collection_id = c
    union select sale_id from sales where collection_id = c);
  update proposals set card = null, card_version = card_version + 1
  where proposal_id in (select proposal_id from proposal_collections where collection_id = c);
  perform announce(array['collections', 'listings', 'sales', 'proposals', 'c:' || c]);
end $$;
create index collections_preview on collections (preview_inscription_id);
create index sales_collection on sales (collection_id);
drop index listings_price;
create index listings_price on listings ((-price_sats), listed_at, listing_id) where state = 'buyable';
create index listings_seller on listings (seller_script, listed_at desc, listing_id desc) where state = 'buyable';
create trigger collections_made after insert on collections for each row execute function follow_collection();
create trigger collections_changed after update of name, kind, verification_status, card_background_color,
    image_rendering_hint, preview_inscription_id on collections for each row
  when ((old.name, old.kind, old.verification_status, old.card_background_color, old.image_rendering_hint,
      old.preview_inscription_id) is distinct from (new.name, new.kind, new.verification_status,
      new.card_background_color, new.image_rendering_hint, new.preview_inscription_id))
  execute function follow_collection();

-- Everything that is derived for a collection, anew: after an import that changed its members, and by hand. No order
-- may come or go meanwhile: it would be followed by the members of before.
create function rebuild_collection(c uuid) returns void language plpgsql as $$
begin
  perform set_config('ordbook.rebuilding', 'on', true);
  lock table order_events in share row exclusive mode;
  delete from asks where collection_id = c;
  insert into asks select * from asks_of(c);
  insert into collection_floors as f (collection_id, slug, floor_sats, listed_count, next_expiry_at, rolled_at)
  select c, (select slug from collections where collection_id = c), r.*, clock_timestamp() from floors_of(c) r
  on conflict (collection_id) do update set floor_sats = excluded.floor_sats, listed_count = excluded.listed_count,
    next_expiry_at = excluded.next_expiry_at, rolled_at = excluded.rolled_at, card = null,
    card_version = f.card_version + 1;
  delete from floor_history where collection_id = c;
  insert into floor_history select * from floor_history_of(c, '-infinity');
  delete from collection_sales where collection_id = c;
  insert into collection_sales select * from collection_sales_of(c);
  delete from collection_owners where collection_id = c;
  insert into collection_owners select * from collection_owners_of(c);
  insert into collection_counts
  select c, (select count(*) from collection_items where collection_id = c),
    (select count(*) from collection_owners where collection_id = c)
  on conflict (collection_id) do update set item_count = excluded.item_count, owner_count = excluded.owner_count;
  delete from trait_counts where collection_id = c;
  insert into trait_counts select * from trait_counts_of(c);
  perform reset_collection(c);
  perform refresh_proposals(array(
    select proposal_id from proposal_collections where collection_id = c
    union select o.proposal_id from proposal_items o join collection_items m using (inscription_id)
      where m.collection_id = c));
end $$;

select rebuild_collection(collection_id) from collections;
select refresh_proposals(array(select proposal_id from proposals));
