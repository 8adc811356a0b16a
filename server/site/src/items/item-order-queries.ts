import type { QueryOf } from '@ordbook/contract/operation.ts'
import type { browseItems } from '@ordbook/contract/storefront/collections.ts'
import { type Fragment, json, type Queryable } from '@ordbook/db/driver/connect.ts'
import {
  keyColumns,
  lastKeys,
  type Order,
  onePageOfCollection,
  type PageOf,
} from '@ordbook/db/driver/order.ts'
import { BETWEEN, type FeedSlice } from '@ordbook/http/responses/rendered-rows.ts'
import { ITEM_ORDERS, rankOf } from '@ordbook/market/collections/queries.ts'
import type { BOOK_ORDERS } from '@ordbook/market/listings/book-queries.ts'
import { standing } from '../collections/collection-queries.ts'
import { shownPreview } from '../thumbnails/queries.ts'

/** The items of a collection in each order of the storefront, as rendered rows: their cost does not grow with the collection. */

export type ItemSort = NonNullable<QueryOf<typeof browseItems>['sort']>
export type BookSort = ItemSort & keyof typeof BOOK_ORDERS

export interface ItemFilter {
  slug: string
  traits: readonly { type: string; values: readonly string[] }[]
  listedOnly: boolean
  minSats: number | null
  maxSats: number | null
  /** Only these; null: any. */
  among: readonly string[] | null
  q: string | null
  now: Date
}

/** The id of a filter's collection. */
export const collectionOf = (sql: Queryable, { slug }: Pick<ItemFilter, 'slug'>) =>
  sql`(select collection_id from collections where slug = ${slug})`

const BY_NUMBER = [
  { column: 'name_number', type: 'bigint', direction: 'asc' },
  { column: 'sort_key', type: 'bigint', direction: 'asc' },
] as const satisfies Order

/** The orders of all items. In an order of the book, items that are not listed follow by number. */
export const ALL_ORDERS = {
  number: BY_NUMBER,
  ...ITEM_ORDERS,
  rarity: [{ column: 'rarity_rank', type: 'int', direction: 'asc' }],
} as const satisfies Record<Exclude<ItemSort, BookSort>, Order>

/** Conditions on items `m` and their inscriptions `i`. */
export function shown(
  sql: Queryable,
  { traits, among, q }: Pick<ItemFilter, 'traits' | 'among' | 'q'>,
): Fragment {
  const like = q === null ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const number = q !== null && /^#?\d{1,12}$/.test(q) ? Number(q.replace('#', '')) : null
  return sql`
    ${traits.length === 0 ? sql`` : sql`and matches_target(${json(sql, { kind: 'traits', traits })}, m.traits)`}
    ${among === null ? sql`` : sql`and m.inscription_id = any(${among as string[]}::text[])`}
    ${
      like === null
        ? sql``
        : sql`and (m.item_name ilike ${like} or m.inscription_id = ${q!}
            ${
              number === null
                ? sql``
                : sql`or m.name_number = ${number} or exists (select 1 from inscriptions i
              where i.inscription_id = m.inscription_id and i.inscription_number = ${number})`
            })`
    }`
}

/** The prices of book entries or listings `b`. */
const priced = (sql: Queryable, { minSats, maxSats }: ItemFilter) => sql`
  ${minSats === null ? sql`` : sql`and -b.price_sats <= -${minSats}::bigint`}
  ${maxSats === null ? sql`` : sql`and -b.price_sats >= -${maxSats}::bigint`}`

/** Listings `l`, or none where an item has no price, by the price that a filter asks for. */
export const inPrice = (sql: Queryable, { listedOnly, minSats, maxSats }: ItemFilter) => sql`
  ${listedOnly ? sql`and l.listing_id is not null` : sql``}
  ${minSats === null ? sql`` : sql`and l.price_sats >= ${minSats}`}
  ${maxSats === null ? sql`` : sql`and l.price_sats <= ${maxSats}`}`

/** Book entries `b` of a collection that stand. */
const inBook = (sql: Queryable, filter: ItemFilter) => sql`
  b.collection_id = ${collectionOf(sql, filter)} and b.closed_at is null
  and (b.expires_at is null or b.expires_at > ${filter.now})`

/** Whether a filter lets items in the book through alone. */
export const isOfBook = ({ listedOnly, minSats, maxSats }: ItemFilter) =>
  listedOnly || minSats !== null || maxSats !== null

/**
 * Book entries `b` with their items `m`. These are planned apart from the book, which is walked by its index: a join of two tables by
 * collection looks much smaller than it is.
 */
const itemsInBook = (sql: Queryable, filter: ItemFilter) => sql`
  book_entries b cross join lateral (
    select m.* from listings l join collection_items m using (inscription_id)
    where l.listing_id = b.listing_id and m.collection_id = b.collection_id ${shown(sql, filter)} offset 0) m
  where ${inBook(sql, filter)} ${priced(sql, filter)}`

/** Items `m`, in the book or not. */
const members = (sql: Queryable, filter: ItemFilter) => sql`
  collection_items m where m.collection_id = ${collectionOf(sql, filter)} ${shown(sql, filter)}`

/** A page of items as their rendered rows. */
export interface ItemSlice extends FeedSlice {
  /** Before each row, by lines: the members of an item that only the storefront has, as the begin of its JSON object. */
  heads: string | null
  /** The items, where a row is missing. */
  collectionIds: string[] | null
  inscriptionIds: string[] | null
  /** Whether an item may have its still soon; null: none does. */
  waits: boolean | null
}

/** The columns of a slice, from items `m` with `keys` in their order. */
const itemColumns = (sql: Queryable, keys: Fragment) => sql`
  m.collection_id, m.inscription_id, m.rendered_row, m.rendered_expires_at, ${rankOf(sql, sql`m`)} as rank,
  ${shownPreview(sql, sql`m.inscription_id`)} as preview, ${keys}`

/** A slice of items `page`, which have the columns above. */
const sliceOf = (sql: Queryable, now: Date) => sql`
  count(*) as row_count, string_agg(rendered_row, ${BETWEEN}) as rows,
  string_agg('{"rank":' || coalesce(rank::text, 'null') || ',"preview":' || coalesce(preview[2], 'null') || ',', chr(10)) as heads,
  min(rendered_expires_at) as expires_at, bool_or(preview is null or preview[1] = 'waiting') as waits,
  bool_or(rendered_row is null or rendered_expires_at <= ${now}) as stale,
  case when bool_or(rendered_row is null or rendered_expires_at <= ${now}) then array_agg(collection_id) end as collection_ids,
  case when bool_or(rendered_row is null or rendered_expires_at <= ${now}) then array_agg(inscription_id) end as inscription_ids`

/** A slice of a collection's items, and figures of the collection. */
export interface PartSlice extends ItemSlice {
  /** Null where there is no such collection, as all figures are. */
  collectionId: string | null
  /** The number of all items that the filter lets through. */
  total: number | null
  /** The time at which the next listing of the collection expires by itself. */
  nextExpiryAt: Date | null
}

const figures = (sql: Queryable, filter: ItemFilter) => sql`
  ${collectionOf(sql, filter)} as collection_id, (${countItems(sql, filter)}) as total,
  (select next_expiry_at from collection_floors where collection_id = ${collectionOf(sql, filter)}) as next_expiry_at`

type BookPage = PageOf<(typeof BOOK_ORDERS)[BookSort]>
type AllPage = PageOf<(typeof ALL_ORDERS)[keyof typeof ALL_ORDERS]>

/** A page of items in the book. It follows an index (book_entries_price or _recent), so it needs neither a sort nor the whole book. */
export async function sliceBookItems(sql: Queryable, filter: ItemFilter, page: BookPage): Promise<PartSlice> {
  const [row] = await sql<PartSlice[]>`
    select ${figures(sql, filter)}, ${sliceOf(sql, filter.now)}, ${lastKeys(sql, page.order, page.rows)} as last_keys
    from (
      select ${itemColumns(sql, keyColumns(sql, page.order, sql`b`))}
      from ${itemsInBook(sql, filter)} ${onePageOfCollection(sql, page, sql`b`)}) page`
  return row!
}

/** A page of items that are not in the book (index collection_items_number). */
export async function sliceOtherItems(
  sql: Queryable,
  filter: ItemFilter,
  page: PageOf<typeof BY_NUMBER>,
): Promise<PartSlice> {
  const [row] = await sql<PartSlice[]>`
    select ${figures(sql, filter)}, ${sliceOf(sql, filter.now)}, ${lastKeys(sql, page.order, page.rows)} as last_keys
    from (
      select ${itemColumns(sql, keyColumns(sql, page.order, sql`m`))}
      from ${members(sql, filter)}
        and not exists (
          select 1 from listings l where l.inscription_id = m.inscription_id and ${standing(sql, filter.now)})
      ${onePageOfCollection(sql, page, sql`m`)}) page`
  return row!
}

/** A page of all items, or of those in the book, in an order of their own (indexes collection_items_number, _order and _rarity). */
export async function sliceAllItems(sql: Queryable, filter: ItemFilter, page: AllPage): Promise<PartSlice> {
  const [row] = await sql<PartSlice[]>`
    select ${figures(sql, filter)}, ${sliceOf(sql, filter.now)}, ${lastKeys(sql, page.order, page.rows)} as last_keys
    from (
      select ${itemColumns(sql, keyColumns(sql, page.order, sql`m`))}
      from ${members(sql, filter)}
        ${
          isOfBook(filter)
            ? sql`and exists (select 1 from listings b where b.inscription_id = m.inscription_id and b.state = 'buyable'
                and (b.expires_at is null or b.expires_at > ${filter.now}) ${priced(sql, filter)})`
            : sql``
        }
      ${onePageOfCollection(sql, page, sql`m`)}) page`
  return row!
}

/** Members of collections, in the order given. */
export async function sliceMembers(
  sql: Queryable,
  members: readonly { collectionId: string; inscriptionId: string }[],
  now: Date,
): Promise<ItemSlice> {
  const [row] = await sql<ItemSlice[]>`
    select ${sliceOf(sql, now)}, null as last_keys
    from (
      select ${itemColumns(sql, sql`x.n`)}
      from unnest(${members.map((each) => each.collectionId)}::uuid[], ${members.map((each) => each.inscriptionId)}::text[])
        with ordinality as x (collection_id, inscription_id, n)
      join collection_items m on m.collection_id = x.collection_id and m.inscription_id = x.inscription_id
      order by x.n) page`
  return row!
}

/** The number of items that a filter lets through, from the counts that are kept where these know it. */
function countItems(sql: Queryable, filter: ItemFilter): Fragment {
  const { traits, minSats, maxSats, among, q, now } = filter
  const isPlain = among === null && q === null
  const [only] = traits
  if (isPlain && !only && !isOfBook(filter))
    return sql`select item_count from collection_counts where collection_id = ${collectionOf(sql, filter)}`
  if (isPlain && only && traits.length === 1 && only.values.length === 1 && !isOfBook(filter))
    return sql`
      select coalesce(max(item_count), 0) from trait_counts
      where collection_id = ${collectionOf(sql, filter)} and trait_type = ${only.type} and trait_value = ${only.values[0]!}`
  if (!isPlain || only)
    return sql`select count(*) from ${isOfBook(filter) ? itemsInBook(sql, filter) : members(sql, filter)}`
  if (minSats !== null || maxSats !== null) return countBook(sql, filter)
  return sql`
    select case when next_expiry_at <= ${now} then (${countBook(sql, filter)}) else listed_count end
    from collection_floors where collection_id = ${collectionOf(sql, filter)}`
}

const countBook = (sql: Queryable, filter: ItemFilter) => sql`
  select count(*) from book_entries b where ${inBook(sql, filter)} ${priced(sql, filter)}`
