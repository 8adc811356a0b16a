-- The derived table `trait_counts`. Written by imports, without a trigger.

create or replace function trait_counts_of(c uuid) returns setof trait_counts language sql stable as $$
  select c, t.type, t.value, count(distinct inscription_id)::int
  from collection_items, jsonb_to_recordset(traits) as t (type text, value text)
  where collection_id = c group by 2, 3
$$;
comment on function trait_counts_of is
  'Expected rows of trait_counts for a collection.';
