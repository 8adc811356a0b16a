import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import type { ItemName } from '../items/inscription-queries.ts'

export interface OwnListingRow extends Omit<ItemName, 'sellerRoyaltyBps'> {
  listingId: string
  state: 'buyable' | 'hidden_locked' | 'pending_public' | 'expired' | 'invalidated'
  priceSats: number
  receiveSats: number
  listedAt: Date
  listedAtText: string
  expiresAt: Date | null
  endedAt: Date | null
  isInEscrow: boolean
}

/** Selects listings `l` of a seller: live ones, and ones that ended without a sale or replacement. */
const visibleListings = (sql: Queryable, sellerScripts: readonly Uint8Array[], since: Date) => sql`
  l.seller_script = any(${sellerScripts as Uint8Array[]}::bytea[])
  and l.state in ('buyable', 'hidden_locked', 'pending_public', 'expired', 'invalidated')
  and (l.ended_at is null or l.ended_at > ${since} and not exists (
    select 1 from listings newer where newer.inscription_id = l.inscription_id and newer.listed_at > l.listed_at))`

/** Lists sellers' listings, newest first (index listings_of_seller). `since` limits the ended ones. */
export function listOwnListingRows(
  sql: Queryable,
  page: {
    sellerScripts: readonly Uint8Array[]
    since: Date
    after: { listedAt: string; listingId: string } | null
    rows: number
  },
): Promise<OwnListingRow[]> {
  const { sellerScripts, since, after, rows } = page
  return sql<OwnListingRow[]>`
    select l.listing_id, l.inscription_id, l.state, l.price_sats, (l.economics ->> 'sellerReceiveSats')::bigint as receive_sats, l.listed_at, l.listed_at::text as listed_at_text, l.expires_at,
      l.ended_at, i.inscription_number, coalesce(d.content_type, i.content_type) as content_type,
      exists (select 1 from escrows e where e.txid = i.txid and e.vout = i.vout) as is_in_escrow, m.*
    from listings l join inscriptions i using (inscription_id)
      left join inscriptions d on d.inscription_id = i.delegate_id
      left join lateral (
        select m.item_name, c.image_rendering_hint, c.slug as collection_slug, c.name as collection_name,
          c.verification_status, f.floor_sats as collection_floor_sats
        from collections c join collection_floors f using (collection_id)
          left join collection_items m on m.collection_id = c.collection_id and m.inscription_id = l.inscription_id
        where c.collection_id = l.collection_id) m on true
    where ${visibleListings(sql, sellerScripts, since)}
      ${after ? sql`and (l.listed_at, l.listing_id) < (${after.listedAt}::text::timestamptz, ${after.listingId}::uuid)` : sql``}
    order by l.listed_at desc, l.listing_id desc limit ${limitOf(sql, rows)}`
}

/** Counts live and ended listings, up to `most`. */
export async function countOwnListings(
  sql: Queryable,
  { sellerScripts, since, most }: { sellerScripts: readonly Uint8Array[]; since: Date; most: number },
): Promise<{ live: number; ended: number }> {
  const [row] = await sql<{ live: number; ended: number }[]>`
    select (count(*) filter (where ended_at is null))::int as live, (count(*) filter (where ended_at is not null))::int as ended
    from (select l.ended_at from listings l where ${visibleListings(sql, sellerScripts, since)}
      order by l.listed_at desc limit ${limitOf(sql, most)}) found`
  return row!
}
