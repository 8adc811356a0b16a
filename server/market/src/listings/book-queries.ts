import type { listListings } from '@ordbook/contract/listings.ts'
import type { QueryOf } from '@ordbook/contract/operation.ts'
import { type Fragment, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import {
  keyColumns,
  keysOf,
  lastKeys,
  type Order,
  onePage,
  onePageOfCollection,
  orderBy,
  type PageOf,
} from '@ordbook/db/driver/order.ts'
import type { FeedSlice, RenderedRow } from '@ordbook/http/responses/rendered-rows.ts'
import { filterColumn, saveRenderedRows, sliceColumns } from '../rendered-rows/queries.ts'

export type BookSort = NonNullable<QueryOf<typeof listListings>['sort']>

/** Sort orders of listings. Ties are broken in index order. */
export const BOOK_ORDERS = {
  recent: [
    { column: 'listed_at', type: 'timestamptz', direction: 'desc' },
    { column: 'listing_id', type: 'uuid', direction: 'desc' },
  ],
  price: [
    { column: 'price_sats', type: 'bigint', direction: 'asc' },
    { column: 'listed_at', type: 'timestamptz', direction: 'desc' },
    { column: 'listing_id', type: 'uuid', direction: 'desc' },
  ],
  'price-desc': [
    { column: 'price_sats', type: 'bigint', direction: 'desc' },
    { column: 'listed_at', type: 'timestamptz', direction: 'asc' },
    { column: 'listing_id', type: 'uuid', direction: 'asc' },
  ],
  expiring: [
    { column: 'expires_at', type: 'timestamptz', direction: 'asc', nulls: 'last' },
    { column: 'listing_id', type: 'uuid', direction: 'asc' },
  ],
} as const satisfies Record<BookSort | 'price-desc', Order>

export interface BookPage extends PageOf<(typeof BOOK_ORDERS)[BookSort]> {
  /** Null matches all collections. */
  collectionSlug: string | null
  inscriptionId: string | null
  sellerScript: Uint8Array | null
  now: Date
}

type Filter = Pick<BookPage, 'collectionSlug' | 'inscriptionId'>

/** Inscription of a row, from listing `l` or book entry `k`. */
const itemIn = (sql: Queryable, { collectionSlug, inscriptionId }: Filter) =>
  collectionSlug !== null
    ? sql`k.inscription_id`
    : inscriptionId !== null
      ? sql`${inscriptionId}::text`
      : sql`l.inscription_ids[1]`

/** True if the row is stored with the listing. */
const isKeptIn = (sql: Queryable, page: Filter) => sql`
  ${itemIn(sql, page)} = l.inscription_ids[1] ${page.collectionSlug === null ? sql`` : sql`and k.collection_id = l.collection_id`}`

/** Rows of a page (indexes listings_recent, _price and _seller, book_entries_recent and _price). */
const pageOfBook = (sql: Queryable, page: BookPage, columns: Fragment) => {
  const { collectionSlug, inscriptionId, sellerScript, now } = page
  const book =
    collectionSlug === null
      ? sql`listings l where l.state = 'buyable'`
      : sql`book_entries k join listings l using (listing_id)
          where k.collection_id = (select collection_id from collections where slug = ${collectionSlug})
            and k.closed_at is null`
  const key = collectionSlug === null ? sql`l` : sql`k`
  // The outer limit improves the planner's estimate.
  return sql`
    select * from (select ${columns}, ${keyColumns(sql, page.order, key)}
    from ${book} and (${key}.expires_at is null or ${key}.expires_at > ${now})
      ${
        inscriptionId === null
          ? sql``
          : sql`and ${inscriptionId} = any(l.inscription_ids)
              and l.inscription_id in (select inscriptions_with(${inscriptionId}))`
      }
      ${sellerScript === null ? sql`` : sql`and l.seller_script = ${sellerScript}`}
    ${collectionSlug === null ? onePage(sql, page, key) : onePageOfCollection(sql, page, key)}) walked limit ${limitOf(sql, page.rows)}`
}

type BookSlice = FeedSlice & { collectionId: string | null }

export async function sliceBook(sql: Queryable, page: BookPage): Promise<BookSlice> {
  const columns = sql`case when ${isKeptIn(sql, page)} then l.rendered_row end as rendered_row, l.expires_at`
  const [row] = await sql<BookSlice[]>`
    select ${sliceColumns(sql, lastKeys(sql, page.order, page.rows))}, min(expires_at) as expires_at, ${filterColumn(sql, page.collectionSlug)}
    from (${pageOfBook(sql, page, columns)}) page`
  return row!
}

export interface BookRow {
  listingId: string
  renderedRow: string | null
  renderedVersion: number
  isKept: boolean
  inscriptionId: string
  inscriptionNumber: number
  itemName: string | null
  slug: string | null
  collectionName: string | null
  kind: 'parent_child' | 'gallery' | null
  verificationStatus: 'verified' | 'unverified' | null
  sellerScript: Uint8Array
  priceSats: number
  listedAt: Date
  expiresAt: Date | null
  sat: number | null
  txid: string
  vout: number
  outputValueSats: number
  satOffset: number
  keys: BookPage['after'] & {}
}

/** Returns a page with the columns of rendered listings. */
export function listBook(sql: Queryable, page: BookPage): Promise<BookRow[]> {
  const columns = sql`
    l.*, ${itemIn(sql, page)} as item_id, ${page.collectionSlug === null ? sql`null::uuid` : sql`k.collection_id`} as within_id,
    ${isKeptIn(sql, page)} as is_kept`
  return sql<BookRow[]>`
    select l.listing_id, l.rendered_row, l.rendered_version, l.is_kept, l.item_id as inscription_id, i.inscription_number, m.item_name,
      m.slug, m.collection_name, m.kind, m.verification_status, l.seller_script, l.price_sats, l.listed_at,
      l.expires_at, i.sat, i.txid, i.vout, i.output_value_sats, i.sat_offset,
      ${keysOf(sql, page.order, sql`l`)} as keys
    from (${pageOfBook(sql, page, columns)}) l
    join inscriptions i on i.inscription_id = l.item_id
    left join lateral (
      select m.item_name, c.slug, c.name as collection_name, c.kind, c.verification_status
      from collection_items m join collections c using (collection_id)
      where m.inscription_id = l.item_id and (l.within_id is null or c.collection_id = l.within_id)
      order by c.collection_id = l.collection_id desc, c.slug limit 1) m on true
    ${orderBy(sql, page.order, sql`l`)}`
}

/** Stores rendered rows of unchanged listings. */
export const saveRenderedListings = (sql: Queryable, rendered: readonly RenderedRow[]): Promise<void> =>
  saveRenderedRows(sql, sql`listings`, sql`listing_id`, sql`uuid[]`, rendered)
