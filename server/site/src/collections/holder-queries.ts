import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Minimum items per group of owners. */
export const HOLDING_SIZES: readonly number[] = [1, 2, 4, 10, 25, 100]

export interface HoldingGroup {
  itemCount: number
  ownerCount: number
  /** Position of the group in HOLDING_SIZES, from 1; null if the items have no owners. */
  size: number | null
  owners: number
  items: number
}

/** Groups owners by their number of items. Empty groups are omitted; each row has the counts of the collection. */
export function groupHoldings(sql: Queryable, collectionId: string): Promise<HoldingGroup[]> {
  return sql`
    select n.item_count, n.owner_count, g.size, coalesce(g.owners, 0) as owners, coalesce(g.items, 0) as items
    from collection_counts n left join lateral (
      select width_bucket(o.item_count::bigint, ${[...HOLDING_SIZES]}::bigint[]) as size, count(*)::int as owners,
        sum(o.item_count)::int as items
      from collection_owners o where o.collection_id = n.collection_id group by 1) g on true
    where n.collection_id = ${collectionId} order by g.size`
}

export function listTopHolders(
  sql: Queryable,
  collectionId: string,
  rows: number,
): Promise<{ ownerScript: Uint8Array; itemCount: number }[]> {
  return sql`
    with top as (
      select owner_hash, item_count from collection_owners where collection_id = ${collectionId}
      order by item_count desc, owner_hash limit ${rows})
    select t.item_count, (array_agg(i.owner_script))[1] as owner_script
    from collection_items m join inscriptions i using (inscription_id)
      join top t on t.owner_hash = sha256(i.owner_script)
    where m.collection_id = ${collectionId}
    group by t.owner_hash, t.item_count order by t.item_count desc, t.owner_hash`
}
