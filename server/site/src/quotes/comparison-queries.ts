import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { lastSaleOf } from '@ordbook/market/collections/queries.ts'
import { topOfferOf } from '@ordbook/market/settlements/bid-queries.ts'
import { type TraitFloorRow, traitFloors } from '../collections/trait-floor-queries.ts'

export interface ItemPrices {
  inscriptionId: string
  lastSaleSats: number | null
  topOfferSats: number | null
}

/** Returns each item's last sale and highest offer, in the order of the ids. */
export function listItemPrices(
  sql: Queryable,
  inscriptionIds: readonly string[],
  now: Date,
): Promise<ItemPrices[]> {
  return sql<ItemPrices[]>`
    select w.id as inscription_id, ${lastSaleOf(sql, sql`w.id`)} as last_sale_sats, ${topOfferOf(sql, sql`w.id`, now)} as top_offer_sats
    from unnest(${inscriptionIds as string[]}::text[]) with ordinality as w (id, n) order by w.n`
}

export type TraitPrices = TraitFloorRow & { leastSats: number | null; mostSats: number | null; count: number }

/** Returns each item's trait with the highest floor, and the price range of the trait's last ten sales among the collection's last 500. */
export function listTraitPrices(
  sql: Queryable,
  of: { collectionId: string; inscriptionIds: readonly string[]; now: Date },
): Promise<TraitPrices[]> {
  return sql<TraitPrices[]>`
    with recent as (
      select k.height, k.sale_id, s.price_sats, s.inscription_id from collection_sales k join sales s using (sale_id)
      where k.collection_id = ${of.collectionId} and s.counted order by k.height desc, k.sale_id desc limit 500
    )
    select b.*, s.least_sats, s.most_sats, coalesce(s.count, 0) as count
    from (${traitFloors(sql, of)}) b left join lateral (
      select min(price_sats) as least_sats, max(price_sats) as most_sats, count(*)::int as count from (
        select r.price_sats from recent r join collection_items m
            on m.collection_id = b.collection_id and m.inscription_id = r.inscription_id
        where m.traits @> jsonb_build_array(jsonb_build_object('type', b.type, 'value', b.value))
        order by r.height desc, r.sale_id desc limit 10) last) s on true`
}
