import type { listCollectionInscriptions } from '@ordbook/contract/collections.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { invalid, missing } from '@ordbook/db/process/errors.ts'
import { cachedFeed } from '@ordbook/http/responses/cached-feed.ts'
import { jsonListOf, jsonOf } from '@ordbook/http/responses/raw-json.ts'
import type { Context } from '../context.ts'
import type { PagedUseCase } from '../use-case.ts'
import {
  type CollectionRow,
  findCollection,
  findCollectionById,
  ITEM_ORDERS,
  listItems,
  saveRenderedItems,
  sliceItems,
} from './queries.ts'
import { placeImages, renderedRowOf } from './rendered-item.ts'

export const listInscriptions: PagedUseCase<typeof listCollectionInscriptions> = async (
  context,
  cursors,
  { params, query },
) => {
  const { sql, reads, time, config, publicUrl } = context
  const { limit = 48, sort = 'oldest', cursor } = query
  const slug = params.slug.toLowerCase()
  return cachedFeed(context, cursors, {
    scope: ['collection-inscriptions', slug, sort],
    order: ITEM_ORDERS[sort],
    limit,
    cursor,
    slice: (page) => sliceItems(reads, { slug, ...page }),
    render: async (page, from) =>
      (await listItems(from, { slug, ...page })).map((row) => ({
        ...renderedRowOf(row, config),
        keys: row.keys,
      })),
    // Rows depend on expiry times, so skip them while the clock is unreliable.
    keep: async (rendered) => {
      if (time.isSettled()) await saveRenderedItems(sql, rendered)
    },
    finish: (rows, pagination, { collectionId }) => {
      if (!collectionId) throw unknownCollection(slug)
      return {
        json: jsonOf<AnswerOf<typeof listCollectionInscriptions>>({
          items: jsonListOf(placeImages(rows, publicUrl)),
          pagination,
        }),
        tags: [`c:${collectionId}`],
      }
    },
  })
}

export const unknownCollection = (slug: string) =>
  missing('collection-unknown', `Collection ${slug.toLowerCase()} not found.`)

/** Returns the collection of a slug, ignoring case. */
export async function getCollection({ sql }: { sql: Queryable }, slug: string): Promise<CollectionRow> {
  const collection = await findCollection(sql, slug)
  if (!collection) throw unknownCollection(slug)
  return collection
}

export async function getCollectionById(
  { sql }: Pick<Context, 'sql'>,
  collectionId: string,
): Promise<CollectionRow> {
  return (await findCollectionById(sql, collectionId))!
}

/** Like `getCollection`, but rejects collections with disabled trading. */
export async function getTradedCollection(
  context: Pick<Context, 'sql'>,
  slug: string,
): Promise<CollectionRow> {
  const collection = await getCollection(context, slug)
  if (!collection.tradingEnabled)
    throw invalid('collection-not-traded', `Trading of collection ${collection.slug} is disabled.`)
  return collection
}
