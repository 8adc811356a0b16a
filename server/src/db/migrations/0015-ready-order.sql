-- The orders in which the storefront shows a collection's items, each ready in an index: a page costs the same in a collection of
-- any size.
-- oldest code: 0013
alter table collection_items add column rarity_rank integer;
alter table collection_items add column name_number bigint not null
  generated always as (coalesce(substring(item_name from '([0-9]{1,15})[^0-9]*$')::bigint, 9007199254740991)) stored;
-- install: rarity-ranks.sql 13f3133e0e7e
-- install: collections.sql 51ce54c53857
update collection_items m set rarity_rank = r.rarity_rank
  from collections c, lateral rarity_ranks_of(c.collection_id) r
  where m.collection_id = c.collection_id and m.inscription_id = r.inscription_id;
create index collection_items_number on collection_items (collection_id, name_number, sort_key);
create index collection_items_rarity on collection_items (collection_id, rarity_rank);
