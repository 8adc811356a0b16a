import type { listCollectionInscriptions } from '@ordbook/contract/collections.ts'
import type { QueryOf } from '@ordbook/contract/operation.ts'
import type { Context } from '../context.ts'
import { earliest } from '../derived/page-cache.ts'
import { invalid, missing } from '../errors.ts'
import { type CursorCodec, cutCards, joinCards, paginationOf } from '../http/cursor.ts'
import { itemCard, placeImages } from './item-card.ts'
import {
  type CollectionRow,
  findCollection,
  findCollectionById,
  type ItemPage,
  listItems,
  sliceItems,
  writeItemCards,
} from './queries.ts'

/** A page of a collection's inscriptions, by sequence. */
export async function listInscriptions(
  context: Context,
  cursors: CursorCodec,
  slug: string,
  query: QueryOf<typeof listCollectionInscriptions>,
): Promise<Buffer> {
  const { pages, clock, publicUrl } = context
  const { limit = 48, sort = 'oldest' } = query
  const scope = ['collection-inscriptions', slug.toLowerCase(), sort]
  const after = cursors.decode(scope, query.cursor)
  return pages.read([...scope, limit, query.cursor], clock, async () => {
    const page: ItemPage = {
      slug: slug.toLowerCase(),
      newest: sort === 'newest',
      after: after && Number(after[0]),
      rows: limit + 1,
      now: clock(),
    }
    const slice = await sliceItems(context.reads, page)
    if (!slice.collectionId) throw missing('collection-unknown', `Collection ${page.slug} is not known here`)
    const found = slice.stale ? await renderItems(context, page) : slice
    const pagination = paginationOf(found.rowCount, limit, () => cursors.encode(scope, [found.lastKey!]))
    const items = placeImages(cutCards(found, limit), publicUrl)
    return {
      body: Buffer.from(`{"items":[${items}],"pagination":${JSON.stringify(pagination)}}`),
      tags: [`c:${slice.collectionId}`],
      validUntil: found.expiresAt,
    }
  })
}

/** The same page from its rows; its cards are kept unless the clock is in doubt: they show listings as of now. */
async function renderItems({ sql, config, time }: Context, page: ItemPage) {
  const rows = await listItems(sql, page)
  const cards = rows.map((row) => ({
    id: row.inscriptionId,
    version: row.cardVersion,
    card: itemCard(row, config),
    expiresAt: row.listingExpiresAt,
  }))
  if (rows[0] && time.isSettled()) await writeItemCards(sql, rows[0].collectionId, cards)
  return {
    ...joinCards(cards),
    lastKey: rows[page.rows - 2]?.sortKey ?? null,
    expiresAt: earliest(...cards.map((each) => each.expiresAt)),
  }
}

/** The collection of a slug, any letter case. Throws missing. */
export async function getCollection({ sql }: Pick<Context, 'sql'>, slug: string): Promise<CollectionRow> {
  const collection = await findCollection(sql, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  return collection
}

/** The collection of an order that is there. */
export async function getCollectionById(
  { sql }: Pick<Context, 'sql'>,
  collectionId: string,
): Promise<CollectionRow> {
  return (await findCollectionById(sql, collectionId))!
}

/** As `getCollection`, for writes. Throws invalid where the operator has closed trading. */
export async function getTradedCollection(
  context: Pick<Context, 'sql'>,
  slug: string,
): Promise<CollectionRow> {
  const collection = await getCollection(context, slug)
  if (!collection.tradingEnabled)
    throw invalid('collection-not-traded', `Collection ${collection.slug} is not traded here`)
  return collection
}
