import type { Queryable } from '@ordbook/db/driver/connect.ts'

/**
 * Returns a histogram of a collection's listings: `parts` equal buckets from the floor to the 90th percentile, and one bucket above. Empty
 * buckets are omitted.
 */
export function countAsks(
  sql: Queryable,
  collectionId: string,
  now: Date,
  parts: number,
): Promise<{ part: number; items: number; leastSats: number; stepSats: number }[]> {
  return sql`
    with asks as (
      select price_sats from book_entries
      where collection_id = ${collectionId} and closed_at is null and (expires_at is null or expires_at > ${now})),
    width as (
      select min(price_sats) as least_sats,
        (percentile_disc(0.9) within group (order by price_sats) - min(price_sats)) / ${parts}::int + 1 as step_sats
      from asks)
    select least((a.price_sats - w.least_sats) / w.step_sats, ${parts}::int)::int as part, count(*)::int as items,
      w.least_sats, w.step_sats
    from asks a, width w group by 1, 3, 4 order by 1`
}
