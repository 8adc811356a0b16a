-- The derived table `book_entries`: periods in which a listing was active, per collection of an inscription on its coin.

create or replace function book_entries_of(c uuid) returns setof book_entries language sql stable as $$
  with steps as (
    select e.listing_id, m.inscription_id, e.event_id, e.to_state, e.occurred_at,
      lead(e.occurred_at) over (partition by e.listing_id order by e.event_id) as left_at
    from listings l cross join lateral (select item_of(l, c) as inscription_id) m join order_events e using (listing_id)
    where l.inscription_id = any(array(
        select inscriptions_with_any(array(select inscription_id from collection_items where collection_id = c))))
      and m.inscription_id is not null and e.from_state is distinct from e.to_state
  )
  select c, s.listing_id, s.inscription_id, s.event_id, l.price_sats, l.listed_at, l.expires_at, s.occurred_at,
    case when s.left_at is not null then greatest(s.occurred_at, least(s.left_at, l.expires_at)) end
  from steps s join listings l using (listing_id)
  where s.to_state = 'buyable'
$$;
comment on function book_entries_of is
  'Expected rows of book_entries for a collection, computed from the order log.';

-- Once per statement, because a block can end thousands of listings. A statement has at most one event per listing.
create or replace function update_book_entries() returns trigger language plpgsql as $$
begin
  update book_entries b set closed_at = greatest(b.opened_at, least(e.occurred_at, b.expires_at))
  from changed e
  where e.from_state = 'buyable' and e.to_state <> 'buyable' and b.listing_id = e.listing_id and b.closed_at is null;
  insert into book_entries (collection_id, listing_id, inscription_id, opened_by, price_sats, listed_at, expires_at, opened_at)
  select distinct on (e.event_id, m.collection_id) m.collection_id, l.listing_id, m.inscription_id, e.event_id, l.price_sats,
    l.listed_at, l.expires_at, e.occurred_at
  from changed e join listings l using (listing_id)
    cross join unnest(l.inscription_ids) with ordinality as each (id, n)
    join collection_items m on m.inscription_id = each.id
  where e.to_state = 'buyable' and e.from_state is distinct from 'buyable'
  order by e.event_id, m.collection_id, each.n;
  perform drop_rendered_items(array(
    select distinct unnest(l.inscription_ids) from changed e join listings l using (listing_id)
    where e.from_state is distinct from e.to_state));
  return null;
end $$;
comment on function update_book_entries is
  'Opens or closes the book entries of listings when they enter or leave the book.';
create or replace trigger order_events_entered after insert on order_events
  referencing new table as changed for each statement execute function update_book_entries();
