import type { CollectionInscriptionItem } from '@ordbook/contract/collections.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { browseItems } from '@ordbook/contract/storefront/collections.ts'
import { type Fragment, json, type Queryable } from '@ordbook/db/driver/connect.ts'
import { keysOf, type Order, onePageOfCollection, type PageOf } from '@ordbook/db/driver/order.ts'
import { ITEM_ORDERS, type Member, rankOf } from '@ordbook/market/collections/queries.ts'
import type { BOOK_ORDERS } from '@ordbook/market/listings/book-queries.ts'
import { isBid } from '@ordbook/market/settlements/bid-queries.ts'
import type { Static } from 'typebox'
import { openEntry } from '../collections/collection-queries.ts'
import { describePreview, type Preview, previewOf } from '../thumbnails/queries.ts'

/** Queries that return a page of rendered items, one per sort order. The cost does not depend on the collection's size. */

export type Item = Static<typeof CollectionInscriptionItem>
export type BrowsedItem = AnswerOf<typeof browseItems>['items'][number]
export type ItemSort = NonNullable<QueryOf<typeof browseItems>['sort']>
export type BookSort = ItemSort & keyof typeof BOOK_ORDERS

export interface ItemFilter {
  slug: string
  traits: readonly { type: string; values: readonly string[] }[]
  listedOnly: boolean
  /** Only items with an offer on the item. */
  offeredOnly: boolean
  minSats: number | null
  maxSats: number | null
  /** Only these ids; null: all. */
  among: readonly string[] | null
  q: string | null
  now: Date
}

export const collectionOf = (sql: Queryable, { slug }: Pick<ItemFilter, 'slug'>) =>
  sql`(select collection_id from collections where slug = ${slug})`

const BY_NUMBER = [
  { column: 'name_number', type: 'bigint', direction: 'asc' },
  { column: 'sort_key', type: 'bigint', direction: 'asc' },
] as const satisfies Order

/** All sort orders. Sorts by listing put unlisted items last, by inscription number. */
export const ALL_ORDERS = {
  number: BY_NUMBER,
  ...ITEM_ORDERS,
  rarity: [{ column: 'rarity_rank', type: 'int', direction: 'asc' }],
} as const satisfies Record<Exclude<ItemSort, BookSort>, Order>

/** Conditions on items `m` and their inscriptions `i`. */
export function shown(
  sql: Queryable,
  { traits, among, q, offeredOnly, now }: Pick<ItemFilter, 'traits' | 'among' | 'q' | 'offeredOnly' | 'now'>,
): Fragment {
  const like = q === null ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const number = q !== null && /^#?\d{1,12}$/.test(q) ? Number(q.replace('#', '')) : null
  return sql`
    ${traits.length === 0 ? sql`` : sql`and matches_target(${json(sql, { kind: 'traits', traits })}, m.traits)`}
    ${offeredOnly ? sql`and exists (select 1 from offers o where o.inscription_id = m.inscription_id and ${isBid(sql, now)})` : sql``}
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

/** Price conditions on book entries `b`, in the form that the index uses. */
const priced = (sql: Queryable, { minSats, maxSats }: ItemFilter) => sql`
  ${minSats === null ? sql`` : sql`and -b.price_sats <= -${minSats}::bigint`}
  ${maxSats === null ? sql`` : sql`and -b.price_sats >= -${maxSats}::bigint`}`

/** Conditions on book entries `b`, null for unlisted items. */
export const inPrice = (sql: Queryable, { listedOnly, minSats, maxSats }: ItemFilter) => sql`
  ${listedOnly ? sql`and b.listing_id is not null` : sql``}
  ${minSats === null ? sql`` : sql`and b.price_sats >= ${minSats}`}
  ${maxSats === null ? sql`` : sql`and b.price_sats <= ${maxSats}`}`

/** Open book entries `b` of a collection. */
const inBook = (sql: Queryable, filter: ItemFilter) => sql`
  b.collection_id = ${collectionOf(sql, filter)} and ${openEntry(sql, filter.now)}`

/** Whether a filter matches only listed items. */
export const isOfBook = ({ listedOnly, minSats, maxSats }: ItemFilter) =>
  listedOnly || minSats !== null || maxSats !== null

/**
 * Book entries `b` with their items `m`. With `offset 0`, PostgreSQL plans the items separately and walks the book's index. It
 * underestimates a join by collection.
 */
const itemsInBook = (sql: Queryable, filter: ItemFilter) => sql`
  book_entries b cross join lateral (
    select m.* from collection_items m
    where m.collection_id = b.collection_id and m.inscription_id = b.inscription_id ${shown(sql, filter)} offset 0) m
  where ${inBook(sql, filter)} ${priced(sql, filter)}`

const members = (sql: Queryable, filter: ItemFilter) => sql`
  collection_items m where m.collection_id = ${collectionOf(sql, filter)} ${shown(sql, filter)}`

const entryOf = (sql: Queryable, { now }: Pick<ItemFilter, 'now'>) => sql`
  b.collection_id = m.collection_id and b.inscription_id = m.inscription_id and ${openEntry(sql, now)}`

type StorefrontMembers = Omit<BrowsedItem, keyof Item>

export interface BrowsedRow {
  collectionId: string
  inscriptionId: string
  /** The item's JSON without `StorefrontMembers`; null if it needs rendering. */
  renderedRow: string | null
  renderedExpiresAt: Date | null
  /** Sort position as JSON. */
  keys: string
  rank: number | null
  preview: Preview | null
}

const rowColumns = (sql: Queryable, keys: Fragment) => sql`
  m.inscription_id, m.rendered_row, m.rendered_expires_at, ${keys}::text as keys,
  ${rankOf(sql, sql`m`)} as rank, ${previewOf(sql, sql`m.inscription_id`)} as preview`

/** Returns the fields that a rendered row lacks. */
export const storefrontMembersOf = ({ rank, preview }: BrowsedRow): StorefrontMembers => ({
  rank,
  preview: describePreview(preview),
})

export interface Figures {
  /** Null, like all figures, if the collection does not exist. */
  collectionId: string | null
  total: number | null
  nextExpiryAt: Date | null
}

export interface ItemPart extends Figures {
  rows: BrowsedRow[]
}

/** Adds totals to each row. An empty page has only totals. */
async function withFigures(sql: Queryable, filter: ItemFilter, page: Fragment): Promise<ItemPart> {
  const found = await sql<
    (Figures & { [Column in keyof Omit<BrowsedRow, 'collectionId'>]: BrowsedRow[Column] | null })[]
  >`
    select figures.*, page.* from (
      select ${collectionOf(sql, filter)} as collection_id, (${countItems(sql, filter)}) as total,
        (select next_expiry_at from collection_floors where collection_id = ${collectionOf(sql, filter)}) as next_expiry_at
    ) figures left join (${page}) page on true`
  const { collectionId, total, nextExpiryAt } = found[0]!
  const rows = found.flatMap((row) => (row.inscriptionId === null ? [] : (row as BrowsedRow)))
  return { collectionId, total, nextExpiryAt, rows }
}

type BookPage = PageOf<(typeof BOOK_ORDERS)[BookSort]>
type AllPage = PageOf<(typeof ALL_ORDERS)[keyof typeof ALL_ORDERS]>

/** Returns a page of listed items along an index (book_entries_price or _recent), without sorting or reading the whole book. */
export const listBookItems = (sql: Queryable, filter: ItemFilter, page: BookPage): Promise<ItemPart> =>
  withFigures(
    sql,
    filter,
    sql`
      select ${rowColumns(sql, keysOf(sql, page.order, sql`b`))}
      from ${itemsInBook(sql, filter)} ${onePageOfCollection(sql, page, sql`b`)}`,
  )

/** Returns a page of unlisted items (index collection_items_number). */
export const listOtherItems = (
  sql: Queryable,
  filter: ItemFilter,
  page: PageOf<typeof BY_NUMBER>,
): Promise<ItemPart> =>
  withFigures(
    sql,
    filter,
    sql`
      select ${rowColumns(sql, keysOf(sql, page.order, sql`m`))}
      from ${members(sql, filter)}
        and not exists (select 1 from book_entries b where ${entryOf(sql, filter)})
      ${onePageOfCollection(sql, page, sql`m`)}`,
  )

/** Returns a page of all or only listed items in an order of the collection (indexes collection_items_number, _order and _rarity). */
export const listAllItems = (sql: Queryable, filter: ItemFilter, page: AllPage): Promise<ItemPart> =>
  withFigures(
    sql,
    filter,
    sql`
      select ${rowColumns(sql, keysOf(sql, page.order, sql`m`))}
      from ${members(sql, filter)}
        ${
          isOfBook(filter)
            ? sql`and exists (select 1 from book_entries b where ${entryOf(sql, filter)} ${priced(sql, filter)})`
            : sql``
        }
      ${onePageOfCollection(sql, page, sql`m`)}`,
  )

export function listBrowsedMembers(sql: Queryable, members: readonly Member[]): Promise<BrowsedRow[]> {
  return sql<BrowsedRow[]>`
    select m.collection_id, ${rowColumns(sql, sql`jsonb_build_array(x.n)`)}
    from unnest(${members.map((member) => member.collectionId)}::uuid[], ${members.map((member) => member.inscriptionId)}::text[])
      with ordinality as x (collection_id, inscription_id, n)
    join collection_items m on m.collection_id = x.collection_id and m.inscription_id = x.inscription_id
    order by x.n`
}

/** Counts matching items, by stored counts if possible. */
function countItems(sql: Queryable, filter: ItemFilter): Fragment {
  const { traits, minSats, maxSats, among, q, offeredOnly, now } = filter
  const isPlain = among === null && q === null && !offeredOnly
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
