import { satRulesOf } from '@ordbook/bitcoin/chain-rules.ts'
import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type {
  browseItems as browseOperation,
  listFreshItems as freshOperation,
  listTraits as traitsOperation,
} from '@ordbook/contract/storefront/collections.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { type Order, parseKeys } from '@ordbook/db/driver/order.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import { paginationOf, wrongCursor } from '@ordbook/http/operations/cursor.ts'
import { earliest } from '@ordbook/http/responses/cached-responses.ts'
import { jsonListOf, jsonOf, RawJson, withMembers } from '@ordbook/http/responses/raw-json.ts'
import { onPrimary } from '@ordbook/http/responses/reads.ts'
import type { RenderedRow } from '@ordbook/http/responses/rendered-rows.ts'
import { unknownCollection } from '@ordbook/market/collections/inscriptions.ts'
import {
  findCollection,
  listMembersInOrder,
  type Member,
  saveRenderedItems,
} from '@ordbook/market/collections/queries.ts'
import { placeImages, renderedRowOf } from '@ordbook/market/collections/rendered-item.ts'
import type { Context } from '@ordbook/market/context.ts'
import { BOOK_ORDERS } from '@ordbook/market/listings/book-queries.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import { findNextExpiry, listSats } from '../collections/collection-queries.ts'
import { listInscribedLast, listNearFloors } from './fresh-item-queries.ts'
import {
  ALL_ORDERS,
  type BookSort,
  type BrowsedItem,
  type BrowsedRow,
  type Figures,
  type Item,
  type ItemFilter,
  type ItemSort,
  isOfBook,
  listAllItems,
  listBookItems,
  listBrowsedMembers,
  listOtherItems,
  storefrontMembersOf,
} from './item-order-queries.ts'
import { listFilteredTraitRows, listTraitRows } from './trait-queries.ts'

const MAX_GROUPS = 8
const MAX_VALUES = 64

/** Cursor position: the part of the order, and the sort keys as JSON. */
const POSITION = [{ type: 'int' }, { type: 'text' }] as const

/** Lists a collection's items that match a filter, as rendered rows. Throws `missing` or `invalid`. */
export const browseItems: PagedUseCase<typeof browseOperation> = async (
  context,
  cursors,
  { params, query },
) => {
  const { reads, responses, clock } = context
  const slug = params.slug.toLowerCase()
  const { limit = 48, sort = 'price', listed = false, cursor, ...filters } = query
  const scope = ['items', slug, sort, listed, filters]
  const after = positionOf(sort, cursors.decode(scope, cursor, POSITION))
  const traits = traitsOf(filters.traits)
  return responses.read([...scope, limit, cursor], clock, async () => {
    const now = clock()
    const filter = { ...(await filterOf(context, slug, query, traits)), now }
    const { figures, rows, firstPart } = await listRows(reads, filter, { sort, after, rows: limit + 1 })
    if (figures.collectionId === null) throw unknownCollection(slug)
    const { items, validUntil } = await itemsOf(context, rows.slice(0, limit), now)
    const pagination = paginationOf(rows.length, limit, () =>
      cursors.encode(scope, [limit <= firstPart ? 0 : 1, rows[limit - 1]!.keys]),
    )
    const answer = jsonOf<AnswerOf<typeof browseOperation>>({
      items: jsonListOf(items),
      total: figures.total ?? 0,
      pagination,
    })
    return {
      body: Buffer.from(placeImages(answer.text, context.publicUrl)),
      tags: [`c:${figures.collectionId}`],
      validUntil: earliest(figures.nextExpiryAt, validUntil, offersUntil(filter.offeredOnly, now)),
    }
  })
}

/** Offers on items are not announced under the tag of a collection. */
const offersUntil = (isOffered: boolean | undefined, now: Date) =>
  isOffered ? new Date(now.getTime() + FRESH_MILLISECONDS) : null

const isBookSort = (sort: ItemSort): sort is BookSort => sort in BOOK_ORDERS

/** Start of a page, after these keys. In the price and time orders, part 0 is the listed items and part 1 the unlisted ones. */
interface Position {
  part: number
  keys: readonly (string | number)[] | null
}

function positionOf(sort: ItemSort, cursor: readonly [number, string] | null): Position {
  if (!cursor) return { part: 0, keys: null }
  const [part, text] = cursor
  const orders: readonly Order[] = isBookSort(sort)
    ? [BOOK_ORDERS[sort], ALL_ORDERS.number]
    : [ALL_ORDERS[sort]]
  const order = orders[part]
  const keys = order && parseKeys(order, JSON.parse(text))
  // The cursor may come from another version of the server.
  if (!keys) throw wrongCursor()
  return { part, keys }
}

/** Lists a page; `firstPart` counts rows from part 0. Reads part 1 only if part 0 does not fill the page. */
async function listRows(
  reads: Queryable,
  filter: ItemFilter,
  { sort, after, rows }: { sort: ItemSort; after: Position; rows: number },
): Promise<{ figures: Figures; rows: BrowsedRow[]; firstPart: number }> {
  const keys = after.keys as never
  if (!isBookSort(sort)) {
    const all = await listAllItems(reads, filter, { order: ALL_ORDERS[sort], after: keys, rows })
    return { figures: all, rows: all.rows, firstPart: all.rows.length }
  }
  const isInBook = after.part === 0
  const booked = isInBook
    ? await listBookItems(reads, filter, { order: BOOK_ORDERS[sort], after: keys, rows })
    : null
  const first = booked?.rows ?? []
  const firstPart = first.length
  const isAll = isOfBook(filter) || (after.keys === null && firstPart === booked?.total)
  if (booked && (isAll || firstPart >= rows)) return { figures: booked, rows: first, firstPart }
  const others = await listOtherItems(reads, filter, {
    order: ALL_ORDERS.number,
    after: isInBook ? null : keys,
    rows: rows - firstPart,
  })
  return { figures: booked ?? others, rows: [...first, ...others.rows], firstPart }
}

/** Returns rows as JSON and their validity. Renders missing and expired rows. */
async function itemsOf(
  context: Context,
  rows: readonly BrowsedRow[],
  now: Date,
): Promise<{ items: RawJson<BrowsedItem>[]; validUntil: Date | null }> {
  const isStale = (row: BrowsedRow) =>
    row.renderedRow === null || (row.renderedExpiresAt !== null && row.renderedExpiresAt <= now)
  const rendered = rows.some(isStale) ? await renderMembers(context, rows, now) : null
  const isIncomplete = rows.some(({ preview }) => preview === null || preview.state === 'waiting')
  const againAt =
    isIncomplete && context.config.previewSocket !== null
      ? new Date(now.getTime() + AGAIN_MILLISECONDS)
      : null
  const expiries = rendered
    ? [...rendered.values()].map((row) => row.expiresAt)
    : rows.map((row) => row.renderedExpiresAt)
  return {
    // The item may have left its collection in the meantime.
    items: rows.flatMap((row) => {
      const text = rendered ? rendered.get(nameOfMember(row))?.text : row.renderedRow
      return text ? [withMembers(new RawJson<Item>(text), storefrontMembersOf(row))] : []
    }),
    validUntil: earliest(againAt, ...expiries),
  }
}

/** Maximum age of a page with an unrendered thumbnail. */
const AGAIN_MILLISECONDS = 20_000

const nameOfMember = ({ collectionId, inscriptionId }: Member) => `${collectionId} ${inscriptionId}`

/** Renders items from the tables. Caches the rows, unless the clock is unreliable. */
function renderMembers(
  context: Context,
  members: readonly Member[],
  now: Date,
): Promise<Map<string, RenderedRow>> {
  const { sql, time, config } = context
  return onPrimary(context, async (from, isPrimary) => {
    const rendered = (await listMembersInOrder(from, members, now)).map((row) => renderedRowOf(row, config))
    if (isPrimary && time.isSettled()) await saveRenderedItems(sql, rendered)
    return new Map(rendered.map((row) => [nameOfMember({ ...row, inscriptionId: row.id }), row]))
  })
}

/** Maximum age of a cached response about the whole market. */
const FRESH_MILLISECONDS = 15_000

export async function listFreshItems(
  context: Context,
  { of }: QueryOf<typeof freshOperation>,
): Promise<Buffer> {
  const { reads, responses, clock } = context
  return responses.read(['fresh items', of], clock, async () => {
    const now = clock()
    const members = of === 'inscribed' ? await listInscribedLast(reads) : await listNearFloors(reads, now)
    const { items, validUntil } = await itemsOf(context, await listBrowsedMembers(reads, members), now)
    const answer = jsonOf<AnswerOf<typeof freshOperation>>({ items: jsonListOf(items) })
    return {
      body: Buffer.from(placeImages(answer.text, context.publicUrl)),
      tags: ['listings', 'sales', 'collections'],
      validUntil: earliest(new Date(now.getTime() + FRESH_MILLISECONDS), validUntil),
    }
  })
}

type Filters = QueryOf<typeof traitsOperation>

async function filterOf(
  context: Context,
  slug: string,
  { listed = false, offered = false, minSats, maxSats, satribute, q }: Filters,
  traits: ItemFilter['traits'],
): Promise<Omit<ItemFilter, 'now'>> {
  const inscriptionIds = satribute ? await withSatribute(context, slug, satribute) : null
  return {
    slug,
    traits,
    listedOnly: listed,
    offeredOnly: offered,
    minSats: minSats ?? null,
    maxSats: maxSats ?? null,
    among: inscriptionIds,
    q: q ?? null,
  }
}

/** Lists traits with counts and floors under filters. Throws `missing` or `invalid`. */
export async function listTraits(
  context: Context,
  slug: string,
  query: Filters,
): Promise<AnswerOf<typeof traitsOperation> | Buffer> {
  const { reads, responses, clock } = context
  const traits = traitsOf(query.traits)
  const collection = await findCollection(reads, slug)
  if (!collection) throw unknownCollection(slug)
  const { collectionId } = collection
  return responses.read(['traits', collectionId, query], clock, async () => {
    const now = clock()
    const isFiltered = Object.values(query).some((value) => value !== undefined && value !== false)
    const rows = isFiltered
      ? await listFilteredTraitRows(reads, {
          ...(await filterOf(context, collection.slug, query, traits)),
          now,
        })
      : await listTraitRows(reads, collectionId, now)
    const types = [...Map.groupBy(rows, (row) => row.type)].map(([type, values]) => ({
      type,
      values: values.map(({ value, count, floorSats }) => ({ value, count, floorSats })),
    }))
    return {
      body: Buffer.from(JSON.stringify({ traits: types })),
      tags: [`c:${collectionId}`],
      validUntil: earliest(await findNextExpiry(reads, collectionId), offersUntil(query.offered, now)),
    }
  })
}

async function withSatribute({ reads, config }: Context, slug: string, satribute: string): Promise<string[]> {
  const rules = satRulesOf(config.chain)
  return (await listSats(reads, slug))
    .filter(({ sat }) => satributesOf(sat, rules).includes(satribute))
    .map((row) => row.inscriptionId)
}

/** Parses the trait groups of a query. Throws `invalid`. */
export function traitsOf(text: string | undefined): ItemFilter['traits'] {
  if (text === undefined) return []
  const invalidTraits = () =>
    invalid(
      'request-invalid',
      `traits must be JSON like [{"type":"Hat","values":["Cap"]}], at most ${MAX_GROUPS} types of ${MAX_VALUES} values`,
    )
  let groups: unknown
  try {
    groups = JSON.parse(text)
  } catch {
    throw invalidTraits()
  }
  const isText = (each: unknown): each is string =>
    typeof each === 'string' && each.isWellFormed() && !each.includes('\0')
  if (!Array.isArray(groups) || groups.length > MAX_GROUPS) throw invalidTraits()
  return groups.map((group: { type?: unknown; values?: unknown } | null) => {
    const type = group?.type
    const values = group?.values
    if (!isText(type) || !Array.isArray(values) || values.length > MAX_VALUES || !values.every(isText))
      throw invalidTraits()
    return { type, values }
  })
}
