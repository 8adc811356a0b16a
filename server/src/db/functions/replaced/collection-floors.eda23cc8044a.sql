-- The derived tables `collection_floors` and `floor_history`.

create or replace function floors_of(c uuid)
returns table (floor_sats bigint, listed_count integer, next_expiry_at timestamptz) language sql stable as $$
  select min(price_sats), count(*)::int, min(expires_at) from book_entries where collection_id = c and closed_at is null
$$;
comment on function floors_of is
  'Expected rows of collection_floors for a collection, computed from its book entries.';

create or replace function floor_history_of(c uuid, begin_at timestamptz) returns setof floor_history language sql stable as $$
  with times as (
    select opened_at as since from book_entries where collection_id = c and opened_at >= begin_at
    union select closed_at from book_entries where collection_id = c and closed_at >= begin_at
  ), floors as (
    (select since, floor_sats, false as new from floor_history
      where collection_id = c and since < begin_at order by since desc limit 1)
    union all
    select t.since, least(
      (select a.price_sats from book_entries a where a.collection_id = c and a.closed_at is null and a.opened_at <= t.since
        order by -a.price_sats desc limit 1),
      (select min(a.price_sats) from book_entries a
        where a.collection_id = c and a.closed_at > t.since and a.opened_at <= t.since)), true
    from times t
  ), steps as (
    select since, floor_sats, new, lag(floor_sats) over (order by since) as before from floors
  )
  select c, since, floor_sats from steps where new and floor_sats is distinct from before
$$;
comment on function floor_history_of is
  'The steps of a collection''s floor from a time on, computed from its book entries.';

-- It runs at commit, so that two trades in one collection wait for each other's commit alone. It locks the row first and looks
-- the floor up after, with a snapshot that sees the commit of the former holder.
create or replace function update_collection_floor() returns trigger language plpgsql as $$
declare
  begin_at timestamptz := case when new.closed_at is null then new.opened_at else new.closed_at end;
begin
  if current_setting('ordbook.rebuilding', true) = 'on' then return null; end if;
  perform 1 from collection_floors where collection_id = new.collection_id for no key update;
  update collection_floors f set
    floor_sats = (select a.price_sats from book_entries a
      where a.collection_id = f.collection_id and a.closed_at is null order by -a.price_sats desc limit 1),
    listed_count = f.listed_count + case when new.closed_at is null then 1 else -1 end,
    next_expiry_at = (select min(a.expires_at) from book_entries a
      where a.collection_id = f.collection_id and a.closed_at is null and a.expires_at is not null),
    rolled_at = clock_timestamp(), rendered_row = null, rendered_version = f.rendered_version + 1
  where f.collection_id = new.collection_id;
  delete from floor_history where collection_id = new.collection_id and since >= begin_at;
  insert into floor_history select * from floor_history_of(new.collection_id, begin_at);
  perform announce(array['listings', 'c:' || new.collection_id]);
  return null;
end $$;
comment on function update_collection_floor is
  'Updates the floor, the number of book entries and the floor history of a collection, at commit.';
drop trigger if exists book_entries_changed on book_entries;
create constraint trigger book_entries_changed after insert or update on book_entries
  deferrable initially deferred for each row execute function update_collection_floor();
