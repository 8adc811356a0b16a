import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { rankOf } from '@ordbook/market/collections/queries.ts'

export interface RankedPrice {
  inscriptionId: string
  rank: number
  priceSats: number
}

/** Lists the cheapest listings with the ranks of their items, rarest first (index book_entries_price). */
export function listRankedAsks(
  sql: Queryable,
  collectionId: string,
  { now, rows }: { now: Date; rows: number },
): Promise<RankedPrice[]> {
  return sql`
    select inscription_id, rank, price_sats from (
      select b.inscription_id, b.price_sats, ${rankOf(sql, sql`m`)} as rank
      from (
        select inscription_id, price_sats from book_entries
        where collection_id = ${collectionId} and closed_at is null and (expires_at is null or expires_at > ${now})
        order by (- price_sats) desc, listed_at desc, listing_id desc limit ${rows}
      ) b
      join collection_items m on m.collection_id = ${collectionId} and m.inscription_id = b.inscription_id) asks
    where rank is not null order by rank, price_sats`
}

/** Lists the latest sales with the ranks of their items, rarest first. */
export function listRankedSales(sql: Queryable, collectionId: string, rows: number): Promise<RankedPrice[]> {
  return sql`
    select inscription_id, rank, price_sats from (
      select s.inscription_id, s.price_sats, ${rankOf(sql, sql`m`)} as rank
      from collection_sales k join sales s using (sale_id)
      join collection_items m on m.collection_id = k.collection_id and m.inscription_id = s.inscription_id
      where k.collection_id = ${collectionId} and s.counted
      order by k.height desc, k.sale_id desc limit ${rows}) latest
    where rank is not null order by rank, price_sats`
}
