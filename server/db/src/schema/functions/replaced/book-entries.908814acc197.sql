-- The derived table `book_entries`: periods in which a listing was active, per collection of an inscription on its coin.

create or replace function book_entries_of(c uuid) returns setof book_entries language sql stable as $$
  with steps as (
    select e.listing_id, m.inscription_id, e.event_id, e.to_state, e.occurred_at,
      lead(e.occurred_at) over (partition by e.listing_id order by e.event_id) as left_at
    from collection_items m cross join lateral inscriptions_with(m.inscription_id) as o (id)
      join listings l on l.inscription_id = o.id and item_of(l, c) = m.inscription_id
      join order_events e using (listing_id)
    where m.collection_id = c and e.from_state is distinct from e.to_state
  )
  select c, s.listing_id, s.inscription_id, s.event_id, l.price_sats, l.listed_at, l.expires_at, s.occurred_at,
    case when s.left_at is not null then greatest(s.occurred_at, least(s.left_at, l.expires_at)) end
  from steps s join listings l using (listing_id)
  where s.to_state = 'buyable'
$$;
comment on function book_entries_of is
  'Expected rows of book_entries for a collection, computed from the order log.';

create or replace function update_book_entries() returns trigger language plpgsql as $$
declare
  l listings;
begin
  if new.from_state is not distinct from new.to_state then return null; end if;
  select * into l from listings where listing_id = new.listing_id;
  if new.from_state = 'buyable' then
    update book_entries set closed_at = greatest(opened_at, least(new.occurred_at, expires_at))
    where listing_id = new.listing_id and closed_at is null;
  end if;
  if new.to_state = 'buyable' then
    insert into book_entries (collection_id, listing_id, inscription_id, opened_by, price_sats, listed_at, expires_at, opened_at)
    select distinct on (m.collection_id) m.collection_id, l.listing_id, m.inscription_id, new.event_id, l.price_sats, l.listed_at,
      l.expires_at, new.occurred_at
    from unnest(l.inscription_ids) with ordinality as each (id, n) join collection_items m on m.inscription_id = each.id
    order by m.collection_id, each.n;
  end if;
  perform drop_rendered_items(l.inscription_ids);
  return null;
end $$;
comment on function update_book_entries is
  'Opens or closes the book entries of a listing when it enters or leaves the book.';
create or replace trigger order_events_entered after insert on order_events
  for each row execute function update_book_entries();
