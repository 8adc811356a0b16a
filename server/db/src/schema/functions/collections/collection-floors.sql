-- The derived tables `collection_floors` and `floor_history`.

create or replace function floors_of(c uuid)
returns table (floor_sats bigint, listed_count integer, next_expiry_at timestamptz) language sql stable as $$
  select min(price_sats), count(*)::int, min(expires_at) from book_entries where collection_id = c and closed_at is null
$$;
comment on function floors_of is
  'Expected rows of collection_floors for a collection, computed from its book entries.';

-- Goes through the entries opened or closed after `begin_at`, cheapest first. Each entry sets the floor for every time it was open
-- that has no floor yet, so the lowest price wins. `later` is a union-find structure that skips times already set; n entries take
-- about n log n steps. Of the entries that were open at `begin_at` and still are, only the cheapest matters. Entries that were closed at
-- `begin_at` do not count, so that thousands of listings that end together take as many steps, not the square.
create or replace function floor_history_of(c uuid, begin_at timestamptz) returns setof floor_history language plpgsql stable as $$
declare
  times timestamptz[] := array(
    select begin_at where isfinite(begin_at)
    union select opened_at from book_entries where collection_id = c and opened_at > begin_at
    union select closed_at from book_entries where collection_id = c and closed_at > begin_at
    order by 1);
  beyond constant int := cardinality(times) + 1;
  floors bigint[] := array_fill(null::bigint, array[beyond - 1]);
  later int[] := array(select generate_series(1, beyond));
  e record;
  i int;
begin
  for e in
    with at as materialized (select since, n::int from unnest(times) with ordinality t(since, n)),
    entries as (
      select price_sats, opened_at, closed_at from book_entries where collection_id = c and opened_at > begin_at
      union all
      select price_sats, opened_at, closed_at from book_entries
      where collection_id = c and closed_at > begin_at and opened_at <= begin_at
      union all
      (select price_sats, opened_at, null from book_entries
      where collection_id = c and closed_at is null and opened_at <= begin_at order by -price_sats desc limit 1)
    )
    select price_sats, coalesce(opened.n, 1) as first, case when closed_at is null then beyond else closed.n end as past
    from entries left join at opened on opened.since = opened_at left join at closed on closed.since = closed_at
    order by price_sats
  loop
    i := e.first;
    loop
      while later[i] <> i loop
        later[i] := later[later[i]];
        i := later[i];
      end loop;
      exit when i < e.past is not true;
      floors[i] := e.price_sats;
      later[i] := i + 1;
    end loop;
  end loop;
  return query
    select c, s.since, s.floor_sats from (
      select t.since, t.floor_sats, lag(t.floor_sats, 1, (
        select h.floor_sats from floor_history h where h.collection_id = c and h.since < begin_at order by h.since desc limit 1
      )) over (order by t.n) as before
      from unnest(times, floors) with ordinality t(since, floor_sats, n)
    ) s where s.floor_sats is distinct from s.before;
end $$;
comment on function floor_history_of is
  'Expected rows of floor_history for a collection from begin_at on, computed from its book entries. begin_at is -infinity, or the time of an entry.';

create or replace function note_floor_change() returns trigger language plpgsql as $$
begin
  if current_setting('ordbook.rebuilding', true) = 'on' then return null; end if;
  if tg_op = 'INSERT' then
    insert into floor_changes (collection_id, begin_at, listed_count)
    select collection_id, min(opened_at), count(*) filter (where closed_at is null) from changed
    group by collection_id order by collection_id;
  else
    insert into floor_changes (collection_id, begin_at, listed_count)
    select n.collection_id, min(coalesce(n.closed_at, n.opened_at)), sum((n.closed_at is null)::int - (o.closed_at is null)::int)
    from changed n join before o using (listing_id, opened_by, collection_id)
    group by n.collection_id order by n.collection_id;
  end if;
  return null;
end $$;
comment on function note_floor_change is
  'Notes the collections whose book entries changed, once per statement.';
drop trigger if exists book_entries_changed on book_entries;
create trigger book_entries_changed after update on book_entries
  referencing old table as before new table as changed for each statement execute function note_floor_change();
create or replace trigger book_entries_made after insert on book_entries
  referencing new table as changed for each statement execute function note_floor_change();

-- Deferred to commit, so that two trades in one collection block each other only while they commit. Locks the row before reading
-- the floor: the next statement's snapshot then includes the previous lock holder's commit.
create or replace function update_collection_floor() returns trigger language plpgsql as $$
begin
  delete from floor_changes where change_id = new.change_id;
  -- A rebuild has included the change.
  if not found then return null; end if;
  perform 1 from collection_floors where collection_id = new.collection_id for no key update;
  update collection_floors f set
    floor_sats = (select a.price_sats from book_entries a
      where a.collection_id = f.collection_id and a.closed_at is null order by -a.price_sats desc limit 1),
    listed_count = f.listed_count + new.listed_count,
    next_expiry_at = (select min(a.expires_at) from book_entries a
      where a.collection_id = f.collection_id and a.closed_at is null and a.expires_at is not null),
    rolled_at = clock_timestamp(), rendered_row = null, rendered_version = f.rendered_version + 1
  where f.collection_id = new.collection_id;
  -- Rows that are right already stay. Otherwise, many changes in a transaction would leave as many dead rows to each other.
  with expected as materialized (select * from floor_history_of(new.collection_id, new.begin_at)),
  gone as (
    delete from floor_history h where h.collection_id = new.collection_id and h.since >= new.begin_at
      and not exists (select 1 from expected e where e.since = h.since))
  insert into floor_history as h select * from expected
  on conflict (collection_id, since) do update set floor_sats = excluded.floor_sats
    where h.floor_sats is distinct from excluded.floor_sats;
  perform announce(array['listings', 'c:' || new.collection_id]);
  return null;
end $$;
comment on function update_collection_floor is
  'Updates the floor, the number of book entries and the floor history of a collection, at commit.';
drop trigger if exists floor_changes_noted on floor_changes;
create constraint trigger floor_changes_noted after insert on floor_changes
  deferrable initially deferred for each row execute function update_collection_floor();
