-- The derived column `collection_items.rarity_rank`. Written by imports, without a trigger.

create or replace function rarity_ranks_of(c uuid)
returns table (inscription_id text, rarity_rank integer) language sql stable as $$
  with scores as (
    select m.inscription_id, m.ordinal, (
      select coalesce(sum(1e6 * n.item_count / t.item_count), 0) from jsonb_to_recordset(m.traits) as x (type text, value text)
      join trait_counts t on t.collection_id = c and t.trait_type = x.type and t.trait_value = x.value) as score
    from collection_items m join collection_counts n using (collection_id) where m.collection_id = c
  )
  select inscription_id, (row_number() over (order by score desc, ordinal, inscription_id collate "C"))::int from scores
$$;
comment on function rarity_ranks_of is
  'Rarity rank of each item of a collection, 1 for the rarest, computed from trait counts.';
