import { MAX_SATS } from '@ordbook/contract/amounts.ts'
import { json, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import { inscriptionsOnHeld } from '../wallet/holding-queries.ts'

type Groups = readonly { type: string; values: readonly string[] }[]

interface Scope {
  collectionId: string
  /** Only items with these traits; empty: all. */
  traits: Groups
  now: Date
}

export interface AskLevel {
  priceSats: number
  items: number
  cumulatedItems: number
  cumulatedSats: number
  total: number
}

/** Lists ask levels, cheapest first (index book_entries_price). `total` counts all levels. */
export function listAskLevels(
  sql: Queryable,
  { collectionId, traits, now }: Scope,
  rows: number,
): Promise<AskLevel[]> {
  return sql<AskLevel[]>`
    select e.price_sats, count(*)::int as items, (sum(count(*)) over (order by e.price_sats))::int as cumulated_items,
      least(sum(sum(e.price_sats)) over (order by e.price_sats), ${MAX_SATS}::bigint)::bigint as cumulated_sats, (sum(count(*)) over ())::int as total
    from book_entries e ${
      traits.length === 0
        ? sql``
        : sql`join collection_items m on m.collection_id = e.collection_id and m.inscription_id = e.inscription_id
            and matches_target(${json(sql, { kind: 'traits', traits })}, m.traits)`
    }
    where e.collection_id = ${collectionId} and e.closed_at is null and (e.expires_at is null or e.expires_at > ${now})
    group by e.price_sats order by e.price_sats limit ${limitOf(sql, rows)}`
}

export interface DepthBid {
  offerId: string
  priceSats: number
  scopeLabel: string
  expiresAt: Date
  /** Backing coins, as `txid:vout`. */
  coins: string[]
  total: number
}

/**
 * Lists executable bids that accept every item with these traits, highest first (index collection_offers_book). Each trait group of a bid
 * must contain all values of the group of that type.
 */
export function listDepthBids(
  sql: Queryable,
  { collectionId, traits, now }: Scope,
  rows: number,
): Promise<DepthBid[]> {
  return sql<DepthBid[]>`
    select o.offer_id, o.price_sats, o.scope_label, o.expires_at, o.total,
      (select coalesce(array_agg(b.txid || ':' || b.vout), '{}') from backing_coins b where b.offer_id = o.offer_id) as coins
    from (
      select offer_id, price_sats, scope_label, expires_at, created_at, (count(*) over ())::int as total
      from collection_offers
      where collection_id = ${collectionId} and state = 'active' and executable and expires_at > ${now}
        ${
          traits.length === 0
            ? sql``
            : sql`and (target ->> 'kind' = 'all' or not exists (
              select 1 from jsonb_array_elements(target -> 'traits') as g (wanted)
              where not exists (
                select 1 from jsonb_array_elements(${json(sql, traits)}) as f (given)
                where f.given ->> 'type' = g.wanted ->> 'type' and g.wanted -> 'values' @> (f.given -> 'values'))))`
        }
      order by price_sats desc, created_at, offer_id limit ${limitOf(sql, rows)}) o
    order by o.price_sats desc, o.created_at, o.offer_id`
}

export interface FittingRow {
  inscriptionId: string
  itemName: string
  contentType: string | null
  listingId: string | null
  priceSats: number | null
  sequence: number
}

/** Lists an address's inscriptions that match an offer, newest first. */
export function listFitting(
  sql: Queryable,
  of: { script: Uint8Array; offerId: string; after: number | null; now: Date; rows: number },
): Promise<FittingRow[]> {
  const { script, offerId, after, now, rows } = of
  return sql<FittingRow[]>`
    select i.inscription_id, m.item_name, coalesce(d.content_type, i.content_type) as content_type, l.listing_id, l.price_sats,
      i.sequence
    from sats_held_by(sha256(${script})) h cross join ${inscriptionsOnHeld(sql)}
      join collection_offers o on o.offer_id = ${offerId}
      join collection_items m on m.collection_id = o.collection_id and m.inscription_id = i.inscription_id
        and matches_target(o.target, m.traits)
      left join inscription_rows d on d.inscription_id = i.delegate_id
      left join lateral live_listing_with(i.inscription_id) l on l.expires_at is null or l.expires_at > ${now}
    where not declines_bids(i.inscription_id) ${after === null ? sql`` : sql`and i.sequence < ${after}`}
    order by i.sequence desc limit ${limitOf(sql, rows)}`
}

/** Returns the collection slug of an active offer, or null. */
export async function findSlugOfActive(sql: Queryable, offerId: string, now: Date): Promise<string | null> {
  const [row] = await sql<{ slug: string }[]>`
    select c.slug from collection_offers o join collections c using (collection_id)
    where o.offer_id = ${offerId} and o.state = 'active' and o.expires_at > ${now}`
  return row?.slug ?? null
}
