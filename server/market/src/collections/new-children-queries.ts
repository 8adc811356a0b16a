import { first, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { ChainCollection, NewItem, PropertiesRow } from './import-queries.ts'

/** An inscription that becomes an item. */
export interface NewChild extends PropertiesRow {
  collectionId: string
  collectionName: string
  /** Ordinal of the collection's first new item. */
  nextOrdinal: number
}

/**
 * Returns the children that a block inscribed and that are not items of their parents' collections yet, oldest first. Omits children that
 * had a listing before a reorg: a refresh adds them and their history.
 */
export function listNewChildren(tx: Transaction, height: number): Promise<NewChild[]> {
  return tx<NewChild[]>`
    with inscribed as materialized (
      select inscription_id, sequence, sat_id, parent_ids, properties, property_encoding
      from inscription_rows where height = ${height} and parent_ids <> '{}'),
    parents as materialized (select distinct unnest(parent_ids) as parent_id from inscribed),
    sources as materialized (
      select p.parent_id, c.collection_id from parents p join collections c on c.source_inscription_id = p.parent_id
      where c.kind = 'parent_child'
      union select p.parent_id, c.collection_id
      from parents p join collection_parents f on f.inscription_id = p.parent_id join collections c using (collection_id)
      where c.kind = 'parent_child'),
    added as (
      select distinct s.collection_id, i.sequence
      from inscribed i cross join unnest(i.parent_ids) as p (parent_id) join sources s using (parent_id))
    select c.collection_id, c.name as collection_name, i.inscription_id, i.properties, i.property_encoding,
      greatest(n.item_count, coalesce((
        select m.ordinal + 1 from collection_items m where m.collection_id = c.collection_id
        order by m.sort_key desc limit 1), 0)) as next_ordinal
    from added join inscribed i using (sequence) join collections c using (collection_id)
      join collection_counts n using (collection_id)
    where not exists (select 1 from collection_items m
        where m.collection_id = c.collection_id and m.inscription_id = i.inscription_id)
      and not exists (select 1 from inscription_rows o join listings l on l.inscription_id = o.inscription_id
        where o.sat_id = i.sat_id and i.inscription_id = any(l.inscription_ids))
    order by i.sequence`
}

/** Adds items to collections. Their trait counts and ranks are missing until the collections are refreshed. */
export async function insertChildren(
  tx: Transaction,
  items: readonly (NewItem & { collectionId: string; ordinal: number })[],
): Promise<void> {
  const column = (of: (item: (typeof items)[number]) => unknown) => items.map(of) as string[]
  const collectionIds = column((item) => item.collectionId)
  const ids = column((item) => item.inscriptionId)
  await tx`
    insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits, rarity_rank)
    select x.collection_id, x.inscription_id, x.ordinal, i.sequence, x.item_name, x.traits::jsonb, x.ordinal + 1
    from unnest(${collectionIds}::uuid[], ${ids}::text[], ${column((item) => item.ordinal)}::int[],
        ${column((item) => item.name)}::text[], ${column((item) => JSON.stringify(item.traits))}::text[])
        as x (collection_id, inscription_id, ordinal, item_name, traits)
      join inscription_rows i using (inscription_id)`
  await tx`select count_new_items(${collectionIds}::uuid[], ${ids}::text[])`
}

/** Marks the collections whose source a block inscribed, and the collections of children that it added to. */
export async function markStaleAt(tx: Transaction, height: number): Promise<void> {
  await tx`
    with inscribed as materialized (
      select inscription_id, parent_ids from inscription_rows where height = ${height}),
    parents as materialized (select distinct unnest(parent_ids) as inscription_id from inscribed)
    insert into stale_collections
    select s.collection_id from collections s join inscribed i on i.inscription_id = s.source_inscription_id
    union select s.collection_id from collections s join parents i on i.inscription_id = s.source_inscription_id
      where s.kind = 'parent_child'
    union select p.collection_id from collection_parents p join inscribed i using (inscription_id)
    union select p.collection_id from collection_parents p join parents i using (inscription_id)
    on conflict do nothing`
}

/** Marks the collections of these sources, and the collections of children that have these members. */
export async function markStale(
  tx: Transaction,
  of: { sources: readonly string[]; members: readonly string[] },
): Promise<void> {
  await tx`
    insert into stale_collections
    select collection_id from collections c
    where source_inscription_id is not null and (source_inscription_id = any(${of.sources as string[]}::text[])
      or exists (select 1 from collection_parents p
        where p.collection_id = c.collection_id and p.inscription_id = any(${of.sources as string[]}::text[]))
      or kind = 'parent_child' and exists (select 1 from collection_items m
        where m.collection_id = c.collection_id and m.inscription_id = any(${of.members as string[]}::text[])))
    on conflict do nothing`
}

export async function listStale(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ collectionId: string }[]>`select collection_id from stale_collections order by 1`
  return rows.map((row) => row.collectionId)
}

/** Removes a collection's mark and returns the collection; null if it is not marked. */
export function takeStale(tx: Transaction, collectionId: string): Promise<ChainCollection | null> {
  return first(tx<ChainCollection[]>`
    with gone as (delete from stale_collections where collection_id = ${collectionId} returning collection_id)
    select collection_id, kind, source_inscription_id as source_id, slug, name
    from gone join collections using (collection_id)
    where kind is not null and source_inscription_id is not null`)
}

/** Recomputes trait counts and rarity ranks. */
export async function rankItems(tx: Transaction, collectionId: string): Promise<void> {
  await tx`select rank_items(${collectionId})`
}
