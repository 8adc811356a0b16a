import { type Fragment, json, limitOf, type Queryable } from '../db/connect.ts'
import { standing } from './collection-queries.ts'

/** The items of a collection in each order of the storefront, as positions: their cost does not grow with the collection. */

type ItemSort = 'price' | 'price-desc' | 'recent' | 'number' | 'oldest' | 'newest' | 'rarity'

export interface ItemFilter {
  collectionId: string
  traits: readonly { type: string; values: readonly string[] }[]
  listedOnly: boolean
  minSats: number | null
  maxSats: number | null
  /** Only these; null: any. */
  among: readonly string[] | null
  q: string | null
  now: Date
}

/** The keys of an item in an order, compared one after the other. */
interface ItemPosition {
  a: number
  b: number
  c: number
}

export interface PlacedItem extends ItemPosition {
  inscriptionId: string
}

interface ItemSlice extends ItemFilter {
  sort: ItemSort
  after: ItemPosition | null
  rows: number
}

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
const inBook = (sql: Queryable, { collectionId, now }: ItemFilter) => sql`
  b.collection_id = ${collectionId} and b.closed_at is null and (b.expires_at is null or b.expires_at > ${now})`

/**
 * Items in the book, by price or by the time of their listing (indexes book_entries_price, book_entries_recent); of one price by
 * number.
 */
export function listBookItems(
  sql: Queryable,
  slice: ItemSlice & { sort: 'price' | 'price-desc' | 'recent' },
): Promise<PlacedItem[]> {
  const { sort, after, rows } = slice
  const key: Fragment = {
    price: sql`b.price_sats`,
    'price-desc': sql`-b.price_sats`,
    recent: sql`-(extract(epoch from b.listed_at) * 1000000)::bigint`,
  }[sort]
  const order: Fragment = {
    price: sql`-b.price_sats desc`,
    'price-desc': sql`-b.price_sats`,
    recent: sql`b.listed_at desc`,
  }[sort]
  const a = after?.a ?? 0
  // For the index. A float cannot name every microsecond, and the keys compare exactly.
  const from: Fragment = {
    price: sql`and -b.price_sats <= -${a}::bigint`,
    'price-desc': sql`and -b.price_sats >= ${a}::bigint`,
    recent: sql`and b.listed_at <= to_timestamp(${-a / 1e6 + 0.001}::float8)`,
  }[sort]
  return sql<PlacedItem[]>`
    select m.inscription_id, ${key} as a, m.name_number as b, m.sort_key as c
    from book_entries b join listings l using (listing_id)
      join collection_items m on m.collection_id = b.collection_id and m.inscription_id = l.inscription_id
    where ${inBook(sql, slice)} ${priced(sql, slice)} ${shown(sql, slice)}
      ${
        after === null
          ? sql``
          : sql`${from} and (${key}, m.name_number, m.sort_key)
              > (${after.a}::bigint, ${after.b}::bigint, ${after.c}::bigint)`
      }
    order by ${order}, m.name_number, m.sort_key limit ${limitOf(sql, rows)}`
}

/** Items that are not in the book, by number (index collection_items_number). */
export function listOtherItems(sql: Queryable, slice: ItemSlice): Promise<PlacedItem[]> {
  const { collectionId, after, rows, now } = slice
  return sql<PlacedItem[]>`
    select m.inscription_id, m.name_number as a, m.sort_key as b, 0::bigint as c
    from collection_items m
    where m.collection_id = ${collectionId} ${shown(sql, slice)}
      and not exists (select 1 from listings l where l.inscription_id = m.inscription_id and ${standing(sql, now)})
      ${after === null ? sql`` : sql`and (m.name_number, m.sort_key) > (${after.a}::bigint, ${after.b}::bigint)`}
    order by m.name_number, m.sort_key limit ${limitOf(sql, rows)}`
}

/** All items, or those in the book, in an order of their own (an index of collection_items each). */
export function listItemsInOrder(
  sql: Queryable,
  slice: ItemSlice & { sort: 'number' | 'oldest' | 'newest' | 'rarity' },
): Promise<PlacedItem[]> {
  const { sort, collectionId, after, rows, now, listedOnly, minSats, maxSats } = slice
  const keys: Fragment = {
    number: sql`m.name_number as a, m.sort_key as b`,
    oldest: sql`m.sort_key as a, 0::bigint as b`,
    newest: sql`-m.sort_key as a, 0::bigint as b`,
    rarity: sql`m.rarity_rank::bigint as a, 0::bigint as b`,
  }[sort]
  const order: Fragment = {
    number: sql`m.name_number, m.sort_key`,
    oldest: sql`m.sort_key`,
    newest: sql`m.sort_key desc`,
    rarity: sql`m.rarity_rank`,
  }[sort]
  const { a, b } = after ?? { a: 0, b: 0 }
  const from: Fragment = {
    number: sql`and (m.name_number, m.sort_key) > (${a}::bigint, ${b}::bigint)`,
    oldest: sql`and m.sort_key > ${a}::bigint`,
    newest: sql`and m.sort_key < ${-a}::bigint`,
    rarity: sql`and m.rarity_rank > ${a}::int`,
  }[sort]
  const mustStand = listedOnly || minSats !== null || maxSats !== null
  return sql<PlacedItem[]>`
    select m.inscription_id, ${keys}, 0::bigint as c
    from collection_items m
    where m.collection_id = ${collectionId} ${shown(sql, slice)}
      ${
        mustStand
          ? sql`and exists (select 1 from listings b where b.inscription_id = m.inscription_id and b.state = 'buyable'
              and (b.expires_at is null or b.expires_at > ${now}) ${priced(sql, slice)})`
          : sql``
      }
      ${after === null ? sql`` : from}
    order by ${order} limit ${limitOf(sql, rows)}`
}

/** The number of items that a filter lets through, from the counts that are kept where these know it. */
export async function countItems(sql: Queryable, filter: ItemFilter): Promise<number> {
  const { collectionId, traits, listedOnly, minSats, maxSats, among, q } = filter
  const isInBook = listedOnly || minSats !== null || maxSats !== null
  const isPlain = among === null && q === null && !isInBook
  if (isPlain && traits.length === 0) return countAll(sql, collectionId)
  const [only] = traits
  if (isPlain && only && traits.length === 1 && only.values.length === 1)
    return countOfTrait(sql, collectionId, only.type, only.values[0]!)
  if (isInBook && among === null && q === null && !only) return countBook(sql, filter)
  const [row] = isInBook
    ? await sql<{ total: number }[]>`
        select count(*)::int as total from book_entries b join listings l using (listing_id)
          join collection_items m on m.collection_id = b.collection_id and m.inscription_id = l.inscription_id
        where ${inBook(sql, filter)} ${priced(sql, filter)} ${shown(sql, filter)}`
    : await sql<{ total: number }[]>`
        select count(*)::int as total from collection_items m
        where m.collection_id = ${collectionId} ${shown(sql, filter)}`
  return row!.total
}

async function countAll(sql: Queryable, collectionId: string): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select item_count as total from collection_counts where collection_id = ${collectionId}`
  return row?.total ?? 0
}

/** The book entries of a collection within the prices (index book_entries_price). */
async function countBook(sql: Queryable, filter: ItemFilter): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from book_entries b where ${inBook(sql, filter)} ${priced(sql, filter)}`
  return row!.total
}

async function countOfTrait(
  sql: Queryable,
  collectionId: string,
  type: string,
  value: string,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select item_count as total from trait_counts
    where collection_id = ${collectionId} and trait_type = ${type} and trait_value = ${value}`
  return row?.total ?? 0
}
