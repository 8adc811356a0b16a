-- Effects of new and changed collections.

create or replace function drop_rendered_collection(c uuid) returns void language plpgsql as $$
begin
  -- Every transaction takes these locks in the same order: offers, listings, items.
  update offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (select offer_id from offers where collection_id = c order by offer_id for no key update);
  update collection_offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (select offer_id from collection_offers where collection_id = c order by offer_id for no key update);
  update listings set rendered_row = null, rendered_version = rendered_version + 1
  where state in ('buyable', 'hidden_locked', 'pending_public')
    and inscription_id = any(array(
      select inscriptions_with_any(array(select inscription_id from collection_items where collection_id = c))));
  -- Skip rows that this transaction inserted: no server has read them yet.
  update collection_items set rendered_row = null, rendered_version = rendered_version + 1, rendered_expires_at = null
  where collection_id = c and xmin <> pg_current_xact_id()::xid;
  update sales set rendered_row = null, rendered_version = rendered_version + 1
  where sale_id in (
    select sale_id from collection_sales where collection_id = c
    union select sale_id from sales where collection_id = c);
  update proposals set rendered_row = null, rendered_version = rendered_version + 1
  where proposal_id in (select proposal_id from proposal_collections where collection_id = c);
  perform announce(array['collections', 'listings', 'sales', 'proposals', 'c:' || c]);
end $$;
comment on function drop_rendered_collection is
  'Drops all rendered rows that show a collection.';

create or replace function refresh_collection() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into collection_floors (collection_id, slug, listed_count, rolled_at)
    values (new.collection_id, new.slug, 0, clock_timestamp());
    insert into collection_counts values (new.collection_id, 0, 0);
    perform announce(array['collections']);
  else
    perform drop_rendered_collection(new.collection_id);
  end if;
  return null;
end $$;
comment on function refresh_collection is
  'Creates the statistics of a new collection; drops all rendered rows that show a changed one.';
create or replace trigger collections_changed after update of name, kind, verification_status, card_background_color,
    image_rendering_hint, preview_inscription_id on collections for each row
  when ((old.name, old.kind, old.verification_status, old.card_background_color, old.image_rendering_hint,
      old.preview_inscription_id) is distinct from (new.name, new.kind, new.verification_status,
      new.card_background_color, new.image_rendering_hint, new.preview_inscription_id))
  execute function refresh_collection();
create or replace trigger collections_made after insert on collections for each row execute function refresh_collection();

create or replace function rank_items(c uuid) returns void language plpgsql as $$
begin
  delete from trait_counts where collection_id = c;
  insert into trait_counts select * from trait_counts_of(c);
  -- Rendered rows have the share of items with each trait, which every new item changes.
  update collection_items m set rarity_rank = r.rarity_rank, rendered_row = null, rendered_version = m.rendered_version + 1,
    rendered_expires_at = null
  from rarity_ranks_of(c) r
  where m.collection_id = c and m.inscription_id = r.inscription_id
    and (m.rarity_rank is distinct from r.rarity_rank or m.xmin <> pg_current_xact_id()::xid);
end $$;
comment on function rank_items is
  'Recomputes trait counts and rarity ranks of a collection, and drops the rendered rows of its items.';

-- Takes time by the new items, whatever the size of their collections. The follower calls `rank_items` after the block's transaction.
create or replace function count_new_items(cs uuid[], ids text[]) returns void language plpgsql as $$
begin
  perform inscribe_items(ids);
  insert into collection_transfers
  select each.c, t.at, t.transfer_id from unnest(cs, ids) as each (c, id) join item_transfers t on t.inscription_id = each.id
  on conflict do nothing;
  perform move_owners(array_agg(each.c), array_agg(i.owner_script), array_agg(1))
    from unnest(cs, ids) as each (c, id) join inscriptions i on i.inscription_id = each.id
    where i.owner_script is not null having count(*) > 0;
  update collection_counts k set item_count = k.item_count + added.n
  from (select c, count(*)::int as n from unnest(cs) as each (c) group by c) added where k.collection_id = added.c;
  perform drop_rendered_listings(ids);
  perform drop_rendered_items(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  perform announce(array(select 'collections' union select 'c:' || c from unnest(cs) as each (c)));
end $$;
comment on function count_new_items is
  'Updates what is derived from new items without listings and sales, except trait counts and ranks.';

-- Called after an import that changed the items, and manually. Locks out order changes, which would otherwise use the previous items.
create or replace function rebuild_collection(c uuid) returns void language plpgsql as $$
begin
  perform set_config('ordbook.rebuilding', 'on', true);
  lock table order_events in share row exclusive mode;
  delete from book_entries where collection_id = c;
  delete from floor_changes where collection_id = c;
  insert into book_entries select * from book_entries_of(c);
  perform set_config('ordbook.rebuilding', 'off', true);
  insert into collection_floors as f (collection_id, slug, floor_sats, listed_count, next_expiry_at, rolled_at)
  select c, (select slug from collections where collection_id = c), r.*, clock_timestamp() from floors_of(c) r
  on conflict (collection_id) do update set floor_sats = excluded.floor_sats, listed_count = excluded.listed_count,
    next_expiry_at = excluded.next_expiry_at, rolled_at = excluded.rolled_at, rendered_row = null,
    rendered_version = f.rendered_version + 1;
  delete from floor_history where collection_id = c;
  insert into floor_history select * from floor_history_of(c, '-infinity');
  delete from collection_sales where collection_id = c;
  -- Deletes possibly wrong sums; the trigger of the next statement recreates them.
  delete from collection_volumes where collection_id = c;
  insert into collection_sales select * from collection_sales_of(c);
  perform inscribe_items(array(select inscription_id from collection_items where collection_id = c));
  delete from collection_transfers where collection_id = c;
  insert into collection_transfers select * from collection_transfers_of(c);
  delete from collection_owners where collection_id = c;
  insert into collection_owners (collection_id, owner_hash, item_count) select * from collection_owners_of(c);
  insert into collection_counts
  select c, (select count(*) from collection_items where collection_id = c),
    (select count(*) from collection_owners where collection_id = c)
  on conflict (collection_id) do update set item_count = excluded.item_count, owner_count = excluded.owner_count;
  perform drop_rendered_collection(c);
  -- After rendered rows are dropped, since dropping skips rows that this transaction wrote.
  perform rank_items(c);
  perform refresh_proposals(array(
    select proposal_id from proposal_collections where collection_id = c
    union select o.proposal_id from proposal_items o join collection_items m using (inscription_id)
      where m.collection_id = c));
end $$;
comment on function rebuild_collection is
  'Recomputes all derived data of a collection while order changes are locked out.';
