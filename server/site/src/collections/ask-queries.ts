import type { Queryable } from '@ordbook/db/driver/connect.ts'

/**
 * Returns a histogram of a collection's listings: `bars` of equal width from the floor to the 98th percentile. The width has two
 * significant digits, and the first bar begins at a price with as few. The last bar also counts the listings above. Empty bars are omitted.
 */
export function countAsks(
  sql: Queryable,
  collectionId: string,
  now: Date,
  bars: number,
): Promise<{ bar: number; items: number; leastSats: number; stepSats: number; mostSats: number }[]> {
  return sql`
    with asks as (
      select price_sats from book_entries
      where collection_id = ${collectionId} and closed_at is null and (expires_at is null or expires_at > ${now})),
    span as (
      select min(price_sats) as least_sats, max(price_sats) as most_sats,
        (percentile_disc(0.98) within group (order by price_sats) - min(price_sats)) / ${bars}::int as step_sats
      from asks),
    width as (
      select least_sats - least_sats % unit as least_sats, (step_sats / unit + 1) * unit as step_sats, most_sats
      from (select *, (10 ^ greatest(length(step_sats::text) - 2, 0))::bigint as unit from span) rounded)
    select least((a.price_sats - w.least_sats) / w.step_sats, ${bars - 1}::int)::int as bar, count(*)::int as items,
      w.least_sats, w.step_sats, w.most_sats
    from asks a, width w group by 1, 3, 4, 5 order by 1`
}
