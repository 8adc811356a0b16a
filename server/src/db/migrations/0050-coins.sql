-- Inscriptions rest on sats, and sats in coins (docs/chain.md): a coin that moves is one row that changes, whatever
-- it holds. The number stands behind every migration that alters the table `inscriptions`, which becomes a view here.
do $$ begin
  if exists (select 1 from blocks) then
    raise exception 'an earlier version filled this database, and its index cannot be converted: begin with an empty database';
  end if;
end $$;

drop trigger inscriptions_made on inscriptions;
drop trigger inscriptions_moved on inscriptions;
drop trigger inscriptions_undone on inscriptions;
drop function follow_inscriptions();
drop table inscription_moves;
alter table inscriptions
  drop column txid, drop column vout, drop column sat_offset, drop column output_value_sats, drop column owner_script,
  -- the sat; of an unbound inscription, one that exists in name alone
  add column sat_id bigint not null;
alter table inscriptions rename to inscription_rows;
create index inscriptions_on_sat on inscription_rows (sat_id, sequence);

-- An inscribed sat, as a node of the tree of its coin (bitcoin/src/sat-tree.ts). Its id is the sequence of the first
-- inscription on it.
create table inscribed_sats (
  sat_id bigint primary key,
  priority bigint not null,
  -- null at the root of a coin
  parent_id bigint,
  -- from the parent's sat; of a root, in its output
  sat_offset bigint not null,
  -- the lowest id in the subtree
  first_id bigint not null,
  -- of roots alone: the output, and the offsets of the first and the last inscribed sat in it. Value and script are
  -- null when the sats are lost or unbound.
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  check ((parent_id is null) = (txid is not null))
);
create index inscribed_sats_parent on inscribed_sats (parent_id) where parent_id is not null;
create index inscribed_sats_place on inscribed_sats (txid_key(txid)) where txid is not null;
create index inscribed_sats_owner on inscribed_sats (sha256(owner_script)) where owner_script is not null;

-- A sat as it was before a block that can still be undone changed it.
create table inscribed_sat_undo (
  height integer not null,
  sat_id bigint not null,
  parent_id bigint,
  sat_offset bigint not null,
  first_id bigint not null,
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  primary key (height, sat_id)
);

-- One row for neighbouring sats that went from one output to another: the history of whatever rests on them.
create table coin_moves (
  height integer not null,
  position integer not null,
  -- the coinbase that lost them; null where the transaction of the new output moved them
  moved_by text,
  from_txid text not null,
  from_vout bigint not null,
  from_script bytea not null,
  -- offset of the first of the sats, and how many sats further the last is
  from_offset bigint not null,
  span bigint not null,
  to_txid text not null,
  to_vout bigint not null,
  to_script bytea,
  to_offset bigint not null,
  primary key (height, position)
);
create index coin_moves_to on coin_moves (txid_key(to_txid), to_vout, to_offset);

-- The outputs that a block spent and made, in parts of a bounded size.
drop table sat_undo;
create table sat_undo (
  height integer not null,
  part integer not null,
  -- [[txid, vout, ranges]]
  taken jsonb not null,
  -- [[txid, vout]]
  made jsonb not null,
  primary key (height, part)
);

-- The root of a sat's tree, and the sat's offset in the output: some steps where a coin holds several inscribed sats.
-- `offset 0` keeps each step a look-up by index: PostgreSQL expects many rows a step and would read the whole table.
create function root_of_sat(id bigint) returns bigint language sql stable as $$
  with recursive up as (
    select sat_id, parent_id from inscribed_sats where sat_id = id
    union all select s.sat_id, s.parent_id
    from up, lateral (select * from inscribed_sats each where each.sat_id = up.parent_id offset 0) s)
  select sat_id from up where parent_id is null
$$;
create function offset_of_sat(id bigint) returns bigint language sql stable as $$
  with recursive up as (
    select sat_id, parent_id, sat_offset from inscribed_sats where sat_id = id
    union all select s.sat_id, s.parent_id, s.sat_offset
    from up, lateral (select * from inscribed_sats each where each.sat_id = up.parent_id offset 0) s)
  select sum(sat_offset)::bigint from up
$$;
-- The sats of a root's tree, with their offsets in the output.
create function sats_in(root bigint) returns table (sat_id bigint, sat_offset bigint) language sql stable rows 1 as $$
  with recursive down as (
    select s.sat_id, s.sat_offset from inscribed_sats s where s.sat_id = root
    union all select s.sat_id, down.sat_offset + s.sat_offset
    from down, lateral (select * from inscribed_sats each where each.parent_id = down.sat_id offset 0) s)
  select down.sat_id, down.sat_offset from down
$$;
-- The sats that a script holds, by its hash.
create function sats_held_by(hash bytea)
returns table (sat_id bigint, txid text, vout bigint, output_value_sats bigint) language sql stable rows 100 as $$
  select r.sat_id, r.txid, r.vout, r.output_value_sats from inscribed_sats r
  where sha256(r.owner_script) = hash and r.low_offset = r.high_offset
  union all
  select s.sat_id, r.txid, r.vout, r.output_value_sats from inscribed_sats r, lateral sats_in(r.sat_id) s
  where sha256(r.owner_script) = hash and r.low_offset < r.high_offset
$$;

-- Inscriptions with their places. To look for what is in an output, or whose it is, begin at inscribed_sats.
create view inscriptions as
  select i.*, r.txid, r.vout, case when s.parent_id is null then s.sat_offset else offset_of_sat(s.sat_id) end as sat_offset,
    r.output_value_sats, r.owner_script
  from inscription_rows i
  left join inscribed_sats s on s.sat_id = i.sat_id
  left join inscribed_sats r on r.sat_id = case when s.parent_id is null then s.sat_id else root_of_sat(s.sat_id) end;

-- The inscriptions that the market knows, whether the index has them or not, with the coin and the owner of each. A move
-- changes these rows alone, however many others the coin holds.
create table watched_inscriptions (
  inscription_id text primary key,
  txid text,
  vout bigint,
  owner_script bytea
);
create index watched_inscriptions_place on watched_inscriptions (txid_key(txid)) where txid is not null;

create function watch_inscriptions(ids text[]) returns void language sql as $$
  insert into watched_inscriptions (inscription_id, txid, vout, owner_script)
  select w.inscription_id, i.txid, i.vout, i.owner_script
  from (select distinct unnest(ids) as inscription_id) w left join inscriptions i using (inscription_id)
  where w.inscription_id is not null
  on conflict do nothing
$$;

-- Takes over where these are now.
create function follow_places(ids text[]) returns void language sql as $$
  update watched_inscriptions w set txid = p.txid, vout = p.vout, owner_script = p.owner_script
  from (
    select each.inscription_id, i.txid, i.vout, i.owner_script
    from unnest(ids) as each (inscription_id) left join inscriptions i using (inscription_id)
  ) p
  where w.inscription_id = p.inscription_id and (w.txid, w.vout) is distinct from (p.txid, p.vout)
$$;

-- A watched inscription that appears, moves or vanishes changes owners, rendered rows and proposals.
create function follow_watched() returns trigger language plpgsql as $$
declare
  ids text[] := array(select inscription_id from changed);
begin
  if cardinality(ids) = 0 then return null; end if;
  perform move_owner(m.collection_id, o.owner_script, -1)
    from before o join changed n using (inscription_id) join collection_items m using (inscription_id)
    where o.owner_script is not null and o.owner_script is distinct from n.owner_script;
  perform move_owner(m.collection_id, n.owner_script, 1)
    from before o join changed n using (inscription_id) join collection_items m using (inscription_id)
    where n.owner_script is not null and o.owner_script is distinct from n.owner_script;
  perform reset_listing_cards(ids);
  perform reset_item_cards(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  return null;
end $$;
create trigger watched_inscriptions_moved after update on watched_inscriptions
  referencing old table as before new table as changed for each statement execute function follow_watched();

-- Inscriptions that are made, completed or undone change what the watched among them show, and those that delegate to them.
create function follow_inscriptions() returns trigger language plpgsql as $$
declare
  ids text[] := array(
    select inscription_id from changed join watched_inscriptions using (inscription_id)
    union select d.inscription_id from changed c join inscription_rows d on d.delegate_id = c.inscription_id
      join watched_inscriptions w on w.inscription_id = d.inscription_id);
begin
  if cardinality(ids) = 0 then return null; end if;
  perform follow_places(ids);
  perform reset_sale_cards(ids);
  perform reset_wanting_cards(ids);
  perform reset_collection(collection_id) from collections where preview_inscription_id = any(ids);
  perform reset_listing_cards(ids);
  perform reset_item_cards(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  return null;
end $$;
create trigger inscriptions_made after insert on inscription_rows
  referencing new table as changed for each statement execute function follow_inscriptions();
create trigger inscriptions_completed after update on inscription_rows
  referencing new table as changed for each statement execute function follow_inscriptions();
create trigger inscriptions_undone after delete on inscription_rows
  referencing old table as changed for each statement execute function follow_inscriptions();

create function watch_new() returns trigger language plpgsql as $$
begin
  perform watch_inscriptions(array(select inscription_id from changed));
  return null;
end $$;
create trigger collection_items_watched after insert on collection_items
  referencing new table as changed for each statement execute function watch_new();
create trigger proposal_items_watched after insert on proposal_items
  referencing new table as changed for each statement execute function watch_new();
create trigger listings_watched after insert on listings
  referencing new table as changed for each statement execute function watch_new();

create function watch_collection() returns trigger language plpgsql as $$
begin
  perform watch_inscriptions(array[new.source_inscription_id, new.preview_inscription_id]);
  return null;
end $$;
create trigger collections_watched after insert or update of source_inscription_id, preview_inscription_id on collections
  for each row execute function watch_collection();
