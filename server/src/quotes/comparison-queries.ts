import type { Queryable } from '../db/connect.ts'
import { acceptanceRate, LEAST_NET_SATS } from '../settlements/taking.ts'

/** Prices to compare the price of a trade with. */

interface Asking {
  collectionId: string
  inscriptionIds: readonly string[]
  /** Bids of this profile do not count. */
  profileId: string
  now: Date
  feeRateSatVb: number
}

export interface ItemPrices {
  inscriptionId: string
  lastSaleSats: number | null
  topOfferSats: number | null
  bidId: string | null
  bidSlug: string | null
  bidPriceSats: number | null
  bidNetSats: number | null
}

/** The last sale and the bids of items, in the order of the ids. */
export function listItemPrices(sql: Queryable, asking: Asking): Promise<ItemPrices[]> {
  const { inscriptionIds, profileId, now, feeRateSatVb } = asking
  return sql<ItemPrices[]>`
    select w.inscription_id, top.price_sats as top_offer_sats, bid.offer_id as bid_id, bid.price_sats as bid_price_sats,
      bid.net_sats as bid_net_sats, (select c.slug from collection_offers o join collections c using (collection_id)
        where o.offer_id = bid.offer_id) as bid_slug,
      (select s.price_sats from sales s where s.inscription_id = w.inscription_id and s.counted
        order by s.height desc, s.sale_id desc limit 1) as last_sale_sats
    from unnest(${inscriptionIds as string[]}::text[]) with ordinality as w (inscription_id, n)
      left join lateral (
        select b.offer_id, b.price_sats, b.net_sats
        from bids_on(w.inscription_id, ${profileId}, ${now}, ${feeRateSatVb}, ${acceptanceRate(feeRateSatVb)}) b
        where b.net_sats >= ${LEAST_NET_SATS} order by b.net_sats desc, b.price_sats desc, b.created_at, b.offer_id limit 1) bid on true
      left join lateral (
        select max(o.price_sats) as price_sats from offers o
        where o.inscription_id = w.inscription_id and o.kind = 'buyer_offer' and o.state = 'active' and o.executable
          and o.expires_at > ${now}) top on true
    order by w.n`
}

export interface TraitPrices {
  inscriptionId: string
  type: string
  value: string
  floorSats: number
  leastSats: number | null
  mostSats: number | null
  count: number
}

/**
 * Of the traits of each item, the one with the highest floor, and the range of its last ten sales among the last 500 of the
 * collection. The floors are read from
 * the collection's open book entries; items without a listed trait are left out.
 */
export function listTraitPrices(sql: Queryable, asking: Asking): Promise<TraitPrices[]> {
  const { collectionId, inscriptionIds, now } = asking
  return sql<TraitPrices[]>`
    with wanted as (
      select m.inscription_id, t.type, t.value
      from collection_items m, jsonb_to_recordset(m.traits) as t (type text, value text)
      where m.collection_id = ${collectionId} and m.inscription_id = any(${inscriptionIds as string[]}::text[])
    ), floors as (
      select t.type, t.value, min(e.price_sats) as floor_sats
      from book_entries e join listings l using (listing_id)
        join collection_items m on m.collection_id = e.collection_id and m.inscription_id = l.inscription_id,
        jsonb_to_recordset(m.traits) as t (type text, value text)
      where e.collection_id = ${collectionId} and e.closed_at is null and (e.expires_at is null or e.expires_at > ${now})
        and (t.type, t.value) in (select type, value from wanted) group by 1, 2
    ), recent as (
      select k.height, k.sale_id, s.price_sats, s.inscription_id from collection_sales k join sales s using (sale_id)
      where k.collection_id = ${collectionId} and s.counted order by k.height desc, k.sale_id desc limit 500
    ), best as (
      select distinct on (w.inscription_id) w.inscription_id, f.type, f.value, f.floor_sats
      from wanted w join floors f using (type, value) order by w.inscription_id, f.floor_sats desc, f.type, f.value
    )
    select b.*, s.least_sats, s.most_sats, coalesce(s.count, 0) as count
    from best b left join lateral (
      select min(price_sats) as least_sats, max(price_sats) as most_sats, count(*)::int as count from (
        select r.price_sats from recent r join collection_items m
            on m.collection_id = ${collectionId} and m.inscription_id = r.inscription_id
        where m.traits @> jsonb_build_array(jsonb_build_object('type', b.type, 'value', b.value))
        order by r.height desc, r.sale_id desc limit 10) last) s on true`
}
