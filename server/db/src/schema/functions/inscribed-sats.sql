-- Locations of inscriptions: the inscribed sats of a coin form a tree (docs/explanation/chain.md).

-- Takes few steps, since a coin holds few inscribed sats. `offset 0` forces an index lookup per step: PostgreSQL expects many rows
-- per step and would scan the whole table.
create or replace function root_of_sat(id bigint) returns bigint language sql stable as $$
  with recursive up as (
    select sat_id, parent_id from inscribed_sats where sat_id = id
    union all select s.sat_id, s.parent_id
    from up, lateral (select * from inscribed_sats each where each.sat_id = up.parent_id offset 0) s)
  select sat_id from up where parent_id is null
$$;
comment on function root_of_sat is
  'Root of the tree of an inscribed sat; the root has the output.';

create or replace function offset_of_sat(id bigint) returns bigint language sql stable as $$
  with recursive up as (
    select sat_id, parent_id, sat_offset from inscribed_sats where sat_id = id
    union all select s.sat_id, s.parent_id, s.sat_offset
    from up, lateral (select * from inscribed_sats each where each.sat_id = up.parent_id offset 0) s)
  select sum(sat_offset)::bigint from up
$$;
comment on function offset_of_sat is
  'Offset of an inscribed sat in its output.';

create or replace function sats_in(root bigint) returns table (sat_id bigint, sat_offset bigint) language sql stable rows 1 as $$
  with recursive down as (
    select s.sat_id, s.sat_offset from inscribed_sats s where s.sat_id = root
    union all select s.sat_id, down.sat_offset + s.sat_offset
    from down, lateral (select * from inscribed_sats each where each.parent_id = down.sat_id offset 0) s)
  select down.sat_id, down.sat_offset from down
$$;
comment on function sats_in is
  'Inscribed sats in the output of a root, with their offsets.';

-- Descends left while the sat is not before `place`, so it reads only the path and the returned sats, however many the coin holds.
create or replace function sats_in_from(root bigint, place bigint, most bigint)
returns table (sat_id bigint, sat_offset bigint) language plpgsql stable rows 1 as $$
declare
  waiting bigint[] := '{}';
  waiting_at bigint[] := '{}';
  last int := 0;
begin
  select s.sat_id, s.sat_offset into sat_id, sat_offset from inscribed_sats s where s.sat_id = root;
  for n in 1 .. most loop
    while sat_id is not null loop
      if sat_offset >= place then
        last := last + 1;
        waiting[last] := sat_id;
        waiting_at[last] := sat_offset;
      end if;
      select s.sat_id, sats_in_from.sat_offset + s.sat_offset into sat_id, sat_offset from inscribed_sats s
        where s.parent_id = sats_in_from.sat_id and (s.sat_offset < 0) = (sats_in_from.sat_offset >= place);
    end loop;
    exit when last = 0;
    sat_id := waiting[last];
    sat_offset := waiting_at[last];
    last := last - 1;
    return next;
    select s.sat_id, sats_in_from.sat_offset + s.sat_offset into sat_id, sat_offset from inscribed_sats s
      where s.parent_id = sats_in_from.sat_id and s.sat_offset > 0;
  end loop;
end $$;
comment on function sats_in_from is
  'The first `most` inscribed sats at or after `place` in the output of a root, in order, with their offsets.';

create or replace function sats_held_by(hash bytea)
returns table (sat_id bigint, txid text, vout bigint, output_value_sats bigint) language sql stable rows 100 as $$
  select r.sat_id, r.txid, r.vout, r.output_value_sats from inscribed_sats r
  where sha256(r.owner_script) = hash and r.low_offset = r.high_offset
  union all
  select s.sat_id, r.txid, r.vout, r.output_value_sats from inscribed_sats r, lateral sats_in(r.sat_id) s
  where sha256(r.owner_script) = hash and r.low_offset < r.high_offset
$$;
comment on function sats_held_by is
  'Inscribed sats in the outputs of a script, given its hash.';

-- Inscriptions with their locations. To look up the contents of an output, or an owner, start at inscribed_sats.
create or replace view inscriptions as
  select i.*, r.txid, r.vout, case when s.parent_id is null then s.sat_offset else offset_of_sat(s.sat_id) end as sat_offset,
    r.output_value_sats, r.owner_script
  from inscription_rows i
  left join inscribed_sats s on s.sat_id = i.sat_id
  left join inscribed_sats r on r.sat_id = case when s.parent_id is null then s.sat_id else root_of_sat(s.sat_id) end;

-- Callers may pass inscriptions that are not indexed: each is on its own sat.
create or replace function inscriptions_with(id text) returns setof text language sql stable rows 2 as $$
  select id
  union
  select o.inscription_id from inscription_rows i join inscription_rows o on o.sat_id = i.sat_id where i.inscription_id = id
$$;
comment on function inscriptions_with is
  'An inscription and the others on its sat, which move with it.';

create or replace function moves_with(id text, ids text[]) returns boolean language sql stable as $$
  select id = any(ids) or exists (
    select 1 from inscription_rows o
    where o.inscription_id = any(ids) and o.sat_id = (select i.sat_id from inscription_rows i where i.inscription_id = id))
$$;
comment on function moves_with is
  'Whether an inscription is one of `ids`, or on the same sat as one of them.';

-- Reads each sat once: thousands of inscriptions can be on one sat.
create or replace function inscriptions_with_any(ids text[]) returns setof text language sql stable rows 100 as $$
  select unnest(ids)
  union
  select o.inscription_id from inscription_rows o
  where o.sat_id = any(array(select distinct i.sat_id from inscription_rows i where i.inscription_id = any(ids)))
$$;
comment on function inscriptions_with_any is
  'Inscriptions and the others on their sats, each once.';
