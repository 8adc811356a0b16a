import type { listCollectionInscriptions } from '@ordbook/contract/collections.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { Context } from '../context.ts'
import { invalid, missing } from '../errors.ts'
import { type CursorCodec, pageOf } from '../http/cursor.ts'
import { renderItem } from './item-card.ts'
import { type CollectionRow, countItems, findCollection, listItems } from './queries.ts'

/** A page of a collection's inscriptions, by sequence. */
export async function listInscriptions(
  { sql, config, clock, publicUrl }: Context,
  cursors: CursorCodec,
  slug: string,
  query: QueryOf<typeof listCollectionInscriptions>,
): Promise<AnswerOf<typeof listCollectionInscriptions>> {
  const collection = await getCollection({ sql }, slug)
  const { limit = 48, sort = 'oldest' } = query
  const scope = ['collection-inscriptions', collection.slug, sort]
  const after = cursors.decode(scope, query.cursor)
  const [rows, itemCount] = await Promise.all([
    listItems(sql, {
      collectionId: collection.collectionId,
      newest: sort === 'newest',
      after: after ? Number(after[0]) : null,
      limit: limit + 1,
      now: clock(),
    }),
    countItems(sql, collection.collectionId),
  ])
  const { page, pagination } = pageOf(rows, limit, (row) => cursors.encode(scope, [row.sortKey]))
  const { addressNetwork } = config
  return {
    items: page.map((row) => renderItem(row, { ...collection, itemCount }, { publicUrl, addressNetwork })),
    pagination,
  }
}

/** The collection of a slug, any letter case. Throws missing. */
export async function getCollection({ sql }: Pick<Context, 'sql'>, slug: string): Promise<CollectionRow> {
  const collection = await findCollection(sql, slug)
  if (!collection) throw missing(`Collection ${slug.toLowerCase()} is not known here`)
  return collection
}

/** As `getCollection`, for writes. Throws invalid where the operator has closed trading. */
export async function getTradedCollection(
  context: Pick<Context, 'sql'>,
  slug: string,
): Promise<CollectionRow> {
  const collection = await getCollection(context, slug)
  if (!collection.tradingEnabled) throw invalid(`Collection ${collection.slug} is not traded here`)
  return collection
}
