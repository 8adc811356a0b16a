import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type {
  browseCollections as browseOperation,
  getCollection as getOperation,
  getCollectionHistory as historyOperation,
} from '@ordbook/contract/storefront/collections.ts'
import { listFloors } from '../collections/floor-queries.ts'
import { renderFloor } from '../collections/floors.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { missing } from '../errors.ts'
import { paginationOf } from '../http/cursor.ts'
import type { PagedUseCase } from '../http/operations.ts'
import {
  type CollectionRank,
  findFirstItems,
  findTopBid,
  listCollections,
  listFloorSteps,
  listLookAlikes,
  listSalePoints,
} from './collection-queries.ts'

/** The longest age of a ranking in milliseconds: the figures behind it change with time. */
const RANKING_MILLISECONDS = 30_000

/** Collections by rank. */
export const browseCollections: PagedUseCase<typeof browseOperation> = async (
  context,
  cursors,
  { query },
) => {
  const { limit = 50, sort = 'volume', q = null } = query
  const scope = ['collections', sort, q]
  const [offset] = cursors.decode(scope, query.cursor, [{ type: 'int' }]) ?? [0]
  const { responses, reads, clock } = context
  return responses.read([...scope, limit, query.cursor], clock, async () => {
    const now = clock()
    const found = await listCollections(reads, { sort, q, slug: null, now, offset, rows: limit + 1 })
    const collections = await describe(context, found.slice(0, limit), now)
    const pagination = paginationOf(found.length, limit, () => cursors.encode(scope, [offset + limit]))
    return {
      body: Buffer.from(JSON.stringify({ collections, pagination })),
      tags: ['collections', 'listings', 'sales', ...found.map((each) => `c:${each.collectionId}`)],
      validUntil: new Date(now.getTime() + RANKING_MILLISECONDS),
    }
  })
}

/** A collection. Throws missing. */
export async function getCollection(context: Context, slug: string): Promise<AnswerOf<typeof getOperation>> {
  const { reads, clock } = context
  const now = clock()
  const only = { sort: 'name', q: null, slug: slug.toLowerCase(), now, offset: 0, rows: 1 } as const
  const [found] = await listCollections(reads, only)
  const collection = await findCollection(reads, slug)
  if (!found || !collection)
    throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const [described] = await describe(context, [found], now)
  return {
    ...described!,
    description: found.description,
    sellerRoyaltyBps: collection.sellerRoyaltyBps,
    buyerRoyaltyBps: collection.buyerRoyaltyBps,
    tradingEnabled: collection.tradingEnabled,
    topOfferSats: await findTopBid(reads, found.collectionId, now),
  }
}

/** The floor of a collection over time, and its latest sales. Throws missing. */
export async function getCollectionHistory(
  { reads, clock }: Context,
  slug: string,
  { days = 30 }: QueryOf<typeof historyOperation>,
): Promise<AnswerOf<typeof historyOperation>> {
  const collection = await findCollection(reads, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const from = new Date(clock().getTime() - days * 86_400_000)
  const steps = await listFloorSteps(reads, collection.collectionId, from)
  const sales = await listSalePoints(reads, collection.collectionId, from)
  return {
    floor: steps.map(({ since, floorSats }) => ({ at: since.toISOString(), sats: floorSats })),
    sales: sales.map(({ soldAt, priceSats, inscriptionId }) => ({
      at: soldAt.toISOString(),
      priceSats,
      inscriptionId,
    })),
  }
}

/** Collections as responses show them: with floors and their changes, and a picture. */
export async function describe(
  { reads }: Pick<Context, 'reads'>,
  found: readonly CollectionRank[],
  now: Date,
): Promise<AnswerOf<typeof browseOperation>['collections']> {
  const floors = new Map(
    (
      await listFloors(
        reads,
        found.map((each) => each.slug),
        now,
      )
    ).map((row) => [row.slug, renderFloor(row)]),
  )
  const bare = found.filter((each) => each.previewInscriptionId === null).map((each) => each.collectionId)
  const ids = found.map((each) => each.collectionId)
  const [pictures, lookAlikes] = await Promise.all([findFirstItems(reads, bare), listLookAlikes(reads, ids)])
  return found.map((each) => {
    const floor = floors.get(each.slug)!
    const picture = pictures.get(each.collectionId)
    return {
      slug: each.slug,
      name: each.name,
      kind: each.kind,
      verificationStatus: each.verificationStatus,
      sameNameAs: lookAlikes.get(each.collectionId) ?? null,
      previewInscriptionId: each.previewInscriptionId ?? picture?.inscriptionId ?? null,
      previewContentType: each.previewContentType ?? picture?.contentType ?? null,
      imageRenderingHint: each.imageRenderingHint,
      cardBackgroundColor: each.cardBackgroundColor,
      itemCount: each.itemCount,
      ownerCount: floor.ownerCount,
      listedCount: floor.listedCount,
      floorSats: floor.floor,
      oneDayChange: floor.oneDayChange,
      sevenDayChange: floor.sevenDayChange,
      volumeDaySats: each.volumeDaySats,
      volumeWeekSats: each.volumeWeekSats,
      salesDayCount: each.salesDayCount,
    }
  })
}
