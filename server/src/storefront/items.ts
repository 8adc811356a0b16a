import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type {
  browseItems as browseOperation,
  listFreshItems as freshOperation,
  listTraits as traitsOperation,
} from '@ordbook/contract/storefront/collections.ts'
import { satRulesOf } from '../chain/rules.ts'
import { findCollection, type ItemRow, listMembersInOrder } from '../collections/queries.ts'
import { placeImages, renderedItem } from '../collections/rendered-item.ts'
import type { Context } from '../context.ts'
import type { Queryable } from '../db/connect.ts'
import { earliest } from '../derived/cached-responses.ts'
import { invalid, missing } from '../errors.ts'
import { paginationOf } from '../http/cursor.ts'
import type { PagedUseCase } from '../http/operations.ts'
import { readPreviews } from '../previews/placeholders.ts'
import { findNextExpiry, listSats } from './collection-queries.ts'
import { listInscribedLast, listNearFloors } from './fresh-item-queries.ts'
import {
  countItems,
  type ItemFilter,
  listBookItems,
  listItemsInOrder,
  listOtherItems,
  type PlacedItem,
} from './item-order-queries.ts'
import { listFilteredTraitRows, listTraitRows } from './trait-queries.ts'

const MOST_GROUPS = 8
const MOST_VALUES = 64

/** A position in a cursor: the part of the order, and the keys there. */
const KEYS = [{ type: 'int' }, { type: 'bigint' }, { type: 'bigint' }, { type: 'bigint' }] as const

/** Items of a collection by any filter, each rendered. Throws missing, invalid. */
export const browseItems: PagedUseCase<typeof browseOperation> = async (
  context,
  cursors,
  { params, query },
) => {
  const { slug } = params
  const { reads, responses, clock } = context
  const { limit = 48, sort = 'price', listed = false, cursor, ...filters } = query
  const scope = ['items', slug.toLowerCase(), sort, listed, filters]
  const [part, a, b, c] = cursors.decode(scope, cursor, KEYS) ?? [0]
  const traits = traitsOf(filters.traits)
  const collection = await findCollection(reads, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const { collectionId } = collection
  return responses.read([...scope, limit, cursor], clock, async () => {
    const now = clock()
    const filter = {
      ...(await filterOf(context, collectionId, query, traits)),
      sort,
      after: a === undefined ? null : { a, b: b!, c: c! },
      rows: limit + 1,
      now,
    }
    const found = await place(reads, filter, part)
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const members = page.map(({ inscriptionId }) => ({ collectionId, inscriptionId }))
    const { rows, items, againAt } = await readBrowsed(context, members, now)
    const pagination = paginationOf(found.length, limit, () =>
      cursors.encode(scope, [last!.part, last!.a, last!.b, last!.c]),
    )
    const rest = JSON.stringify({ total: await countItems(reads, filter), pagination })
    return {
      body: Buffer.from(`{"items":[${items.join(',')}],${rest.slice(1)}`),
      tags: [`c:${collectionId}`],
      validUntil: earliest(
        againAt,
        await findNextExpiry(reads, collectionId),
        ...rows.map((row) => row.listingExpiresAt),
      ),
    }
  })
}

/** Items as JSON: as the API shows them, with their rank and their still; `againAt`: the time at which one more may have its still. */
async function readBrowsed(
  context: Context,
  members: Parameters<typeof listMembersInOrder>[1],
  now: Date,
): Promise<{ rows: ItemRow[]; items: string[]; againAt: Date | null }> {
  const { reads, config, publicUrl } = context
  const rows = await listMembersInOrder(reads, members, now)
  const ids = rows.map((row) => row.inscriptionId)
  const { previews, againAt } = await readPreviews(context, ids, now)
  const items = rows.map((row) => {
    const preview = JSON.stringify(previews.get(row.inscriptionId) ?? null)
    return `{"rank":${row.rank},"preview":${preview},${placeImages(renderedItem(row, config), publicUrl).slice(1)}`
  })
  return { rows, items, againAt }
}

/** The longest age of an answer about the whole market, in milliseconds. */
const FRESH_MILLISECONDS = 15_000

/** Items of the whole market that are worth a look now. */
export async function listFreshItems(
  context: Context,
  { of }: QueryOf<typeof freshOperation>,
): Promise<Buffer> {
  const { reads, responses, clock } = context
  return responses.read(['fresh items', of], clock, async () => {
    const now = clock()
    const members = of === 'inscribed' ? await listInscribedLast(reads) : await listNearFloors(reads, now)
    const { rows, items } = await readBrowsed(context, members, now)
    return {
      body: Buffer.from(`{"items":[${items.join(',')}]}`),
      tags: ['listings', 'sales', 'collections'],
      validUntil: earliest(
        new Date(now.getTime() + FRESH_MILLISECONDS),
        ...rows.map((row) => row.listingExpiresAt),
      ),
    }
  })
}

/** The items of a page with their positions. By price and by time, items in the book come first, then the others. */
async function place(
  reads: Queryable,
  slice: Parameters<typeof listOtherItems>[1],
  part: number,
): Promise<(PlacedItem & { part: number })[]> {
  const { sort, rows, listedOnly, minSats, maxSats } = slice
  const within = (found: PlacedItem[], part: number) => found.map((each) => ({ ...each, part }))
  if (sort !== 'price' && sort !== 'price-desc' && sort !== 'recent')
    return within(await listItemsInOrder(reads, { ...slice, sort }), 0)
  const inBook = part === 0 ? within(await listBookItems(reads, { ...slice, sort }), 0) : []
  if (inBook.length >= rows || listedOnly || minSats !== null || maxSats !== null) return inBook
  const after = part === 0 ? null : slice.after
  const others = await listOtherItems(reads, { ...slice, after, rows: rows - inBook.length })
  return [...inBook, ...within(others, 1)]
}

type Filters = QueryOf<typeof traitsOperation>

async function filterOf(
  context: Context,
  collectionId: string,
  { listed = false, minSats, maxSats, satribute, q }: Filters,
  traits: ItemFilter['traits'],
): Promise<Omit<ItemFilter, 'now'>> {
  const among = satribute ? await withSatribute(context, collectionId, satribute) : null
  return {
    collectionId,
    traits,
    listedOnly: listed,
    minSats: minSats ?? null,
    maxSats: maxSats ?? null,
    among,
    q: q ?? null,
  }
}

/** The traits of a collection, with counts and floors under filters. Throws missing, invalid. */
export async function listTraits(
  context: Context,
  slug: string,
  query: Filters,
): Promise<AnswerOf<typeof traitsOperation> | Buffer> {
  const { reads, responses, clock } = context
  const traits = traitsOf(query.traits)
  const collection = await findCollection(reads, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const { collectionId } = collection
  return responses.read(['traits', collectionId, query], clock, async () => {
    const now = clock()
    const isFiltered = Object.values(query).some((value) => value !== undefined && value !== false)
    const rows = isFiltered
      ? await listFilteredTraitRows(reads, {
          ...(await filterOf(context, collectionId, query, traits)),
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
      validUntil: await findNextExpiry(reads, collectionId),
    }
  })
}

async function withSatribute(
  { reads, config }: Context,
  collectionId: string,
  satribute: string,
): Promise<string[]> {
  const rules = satRulesOf(config.chain)
  return (await listSats(reads, collectionId))
    .filter(({ sat }) => satributesOf(sat, rules).includes(satribute))
    .map((row) => row.inscriptionId)
}

/** The groups of traits of a query. Throws invalid. */
export function traitsOf(text: string | undefined): ItemFilter['traits'] {
  if (text === undefined) return []
  const wrong = () =>
    invalid(
      'request-invalid',
      `traits must be JSON like [{"type":"Hat","values":["Cap"]}], at most ${MOST_GROUPS} types of ${MOST_VALUES} values`,
    )
  let groups: unknown
  try {
    groups = JSON.parse(text)
  } catch {
    throw wrong()
  }
  const isText = (each: unknown): each is string =>
    typeof each === 'string' && each.isWellFormed() && !each.includes('\0')
  if (!Array.isArray(groups) || groups.length > MOST_GROUPS) throw wrong()
  return groups.map((group: { type?: unknown; values?: unknown } | null) => {
    const type = group?.type
    const values = group?.values
    if (!isText(type) || !Array.isArray(values) || values.length > MOST_VALUES || !values.every(isText))
      throw wrong()
    return { type, values }
  })
}
