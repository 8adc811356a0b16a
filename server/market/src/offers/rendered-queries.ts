import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { RenderedRow } from '@ordbook/http/responses/rendered-rows.ts'
import { saveRenderedRows } from '../rendered-rows/queries.ts'
import type { OfferRow } from './queries.ts'

/** An offer's rendered row, and columns that change without a new one. */
export type OfferLine = Pick<OfferRow, 'offerId' | 'kind' | 'state' | 'executable' | 'expiresAt'> & {
  renderedRow: string | null
}

export const lineColumns = (sql: Queryable) => sql`
  o.offer_id, o.kind, o.state, o.executable, o.expires_at, o.rendered_row`

/** Columns that a rendered offer depends on. */
export type UnrenderedRow = Pick<
  OfferRow,
  | 'offerId'
  | 'kind'
  | 'inscriptionId'
  | 'buyerScript'
  | 'sellerScript'
  | 'postageSats'
  | 'economics'
  | 'floorSats'
  | 'topOfferSats'
  | 'createdAt'
  | 'expiresAt'
> & {
  renderedRow: string | null
  renderedVersion: number
  inscriptionNumber: number | null
  contentType: string | null
  itemName: string | null
  collectionName: string | null
  collectionSlug: string | null
  collectionVerified: boolean
}

const unrendered = (sql: Queryable) => sql`
  select o.offer_id, o.rendered_row, o.rendered_version, o.kind, o.inscription_id, o.buyer_script, o.seller_script, o.postage_sats,
    o.economics, o.floor_sats, o.top_offer_sats, o.created_at, o.expires_at, i.inscription_number,
    coalesce(d.content_type, i.content_type) as content_type, m.item_name, c.name as collection_name,
    c.slug as collection_slug, coalesce(c.verification_status = 'verified', false) as collection_verified
  from offers o
    left join inscription_rows i on i.inscription_id = o.inscription_id
    left join inscription_rows d on d.inscription_id = i.delegate_id
    left join collections c on c.collection_id = o.collection_id
    left join collection_items m on m.collection_id = o.collection_id and m.inscription_id = o.inscription_id`

export const listUnrendered = (sql: Queryable, offerIds: readonly string[]): Promise<UnrenderedRow[]> =>
  sql<UnrenderedRow[]>`${unrendered(sql)} where o.offer_id = any(${offerIds as string[]}::uuid[])`

export const listRendered = (sql: Queryable, after: string | null, rows: number): Promise<UnrenderedRow[]> =>
  sql<UnrenderedRow[]>`
    ${unrendered(sql)} where o.rendered_row is not null and (${after}::uuid is null or o.offer_id > ${after})
    order by o.offer_id limit ${rows}`

/** Stores rendered rows of unchanged offers. */
export const saveRenderedOffers = (sql: Queryable, rendered: readonly RenderedRow[]): Promise<void> =>
  saveRenderedRows(sql, sql`offers`, sql`offer_id`, sql`uuid[]`, rendered)
