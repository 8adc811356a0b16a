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
import { filterColumn, keepRenderedRows, sliceColumns } from '../rendered-rows/queries.ts'

export type BookSort = NonNullable<QueryOf<typeof listListings>['sort']>

/** All orders of listings by sort, for the API and the storefront. In each of them, ties follow the index. */
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

/** The listings that a page of the book selects from. */
export interface BookPage extends PageOf<(typeof BOOK_ORDERS)[BookSort]> {
  /** Null: any. */
  collectionSlug: string | null
  inscriptionId: string | null
  sellerScript: Uint8Array | null
  now: Date
}

/** The rows of a page (indexes listings_recent, _price and _seller, book_entries_recent and _price), in order. */
const pageOfBook = (sql: Queryable, page: BookPage, columns: Fragment) => {
  const { collectionSlug, inscriptionId, sellerScript, now } = page
  const book =
    collectionSlug === null
      ? sql`listings l where l.state = 'buyable'`
      : sql`book_entries k join listings l using (listing_id)
          where k.collection_id = (select collection_id from collections where slug = ${collectionSlug})
            and k.closed_at is null`
  // The columns that the index of the order begins with.
  const key = collectionSlug === null ? sql`l` : sql`k`
  // The outer limit is for the plan of what is joined to the rows.
  return sql`
    select * from (select ${columns}, ${keyColumns(sql, page.order, key)}
    from ${book} and (${key}.expires_at is null or ${key}.expires_at > ${now})
      ${
        inscriptionId === null
          ? sql``
          : sql`and l.inscription_id in (
              select other.inscription_id from inscription_rows named
              join inscription_rows other on other.sat_id = named.sat_id
              where named.inscription_id = ${inscriptionId})`
      }
      ${sellerScript === null ? sql`` : sql`and l.seller_script = ${sellerScript}`}
    ${collectionSlug === null ? onePage(sql, page, key) : onePageOfCollection(sql, page, key)}) walked limit ${limitOf(sql, page.rows)}`
}

type BookSlice = FeedSlice & { collectionId: string | null }

/** A page of the book as its rendered rows. */
export async function sliceBook(sql: Queryable, page: BookPage): Promise<BookSlice> {
  const [row] = await sql<BookSlice[]>`
    select ${sliceColumns(sql, lastKeys(sql, page.order, page.rows))}, min(expires_at) as expires_at, ${filterColumn(sql, page.collectionSlug)}
    from (${pageOfBook(sql, page, sql`l.rendered_row, l.expires_at`)}) page`
  return row!
}

export interface BookRow {
  listingId: string
  renderedRow: string | null
  renderedVersion: number
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

/** A page with everything that its rendered rows show. */
export function listBook(sql: Queryable, page: BookPage): Promise<BookRow[]> {
  return sql<BookRow[]>`
    select l.listing_id, l.rendered_row, l.rendered_version, l.inscription_id, i.inscription_number, m.item_name, c.slug,
      c.name as collection_name, c.kind, c.verification_status, l.seller_script, l.price_sats, l.listed_at,
      l.expires_at, i.sat, i.txid, i.vout, i.output_value_sats, i.sat_offset,
      ${keysOf(sql, page.order, sql`l`)} as keys
    from (${pageOfBook(sql, page, sql`l.*`)}) l
    join inscriptions i on i.inscription_id = l.inscription_id
    left join collections c on c.collection_id = l.collection_id
    left join collection_items m on m.collection_id = l.collection_id and m.inscription_id = l.inscription_id
    ${orderBy(sql, page.order, sql`l`)}`
}

/** Keeps rendered rows whose versions are still current. */
export const keepListings = (sql: Queryable, rendered: readonly RenderedRow[]): Promise<void> =>
  keepRenderedRows(sql, sql`listings`, sql`listing_id`, sql`uuid[]`, rendered)
