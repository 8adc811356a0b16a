import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type {
  browseCollections as browseOperation,
  getCollection as getOperation,
  getCollectionHistory as historyOperation,
} from '@ordbook/contract/storefront/collections.ts'
import { LINE_POINTS, MAX_COUNTED_OFFERS } from '@ordbook/contract/storefront/collections.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import { listFloors } from '@ordbook/market/collections/floor-queries.ts'
import { changeOf, renderFloor } from '@ordbook/market/collections/floors.ts'
import {
  getCollection as findKnownCollection,
  unknownCollection,
} from '@ordbook/market/collections/inscriptions.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import {
  type CollectionRank,
  countOffers,
  countProposals,
  findFirstItems,
  findLastSale,
  findTopBid,
  findTraitBid,
  listCollections,
  listDetails,
  listFloorSteps,
  listLookAlikes,
  listSalePoints,
  listVolume,
} from './collection-queries.ts'

type Described = Omit<
  AnswerOf<typeof getOperation>,
  | 'description'
  | 'buyerRoyaltyBps'
  | 'tradingEnabled'
  | 'topOfferSats'
  | 'bestTraitBid'
  | 'offerCount'
  | 'tradeCount'
  | 'lastSale'
>

/** Maximum age of a cached ranking. */
const RANKING_MILLISECONDS = 30_000

const HOUR = 3_600_000
/** In milliseconds; null: all time. */
const WINDOWS = { '1h': HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR, '30d': 720 * HOUR, all: null } as const

export const browseCollections: PagedUseCase<typeof browseOperation> = async (
  context,
  cursors,
  { query },
) => {
  const { limit = 50, sort = 'volume', window = '7d', q = null } = query
  const slugs = query.slugs?.split(',') ?? null
  const scope = ['collections', sort, window, q, query.slugs]
  const [offset] = cursors.decode(scope, query.cursor, [{ type: 'int' }]) ?? [0]
  const { responses, reads, clock } = context
  return responses.read([...scope, limit, query.cursor], clock, async () => {
    const now = clock()
    const length = WINDOWS[window]
    const since = length === null ? null : new Date(now.getTime() - length)
    const found = await listCollections(reads, { sort, since, q, slugs, now, offset, rows: limit + 1 })
    const collections = await addDetails(context, found.slice(0, limit), since, now)
    const pagination = paginationOf(found.length, limit, () => cursors.encode(scope, [offset + limit]))
    return {
      body: Buffer.from(JSON.stringify({ collections, pagination })),
      tags: ['collections', 'listings', 'sales', ...found.map((each) => `c:${each.collectionId}`)],
      // Sums of long windows are the most expensive and change the least.
      validUntil: new Date(
        now.getTime() + (window === '30d' || window === 'all' ? 10 : 1) * RANKING_MILLISECONDS,
      ),
    }
  })
}

/** Returns a collection. Throws `missing`. */
export async function getCollection(context: Context, slug: string): Promise<AnswerOf<typeof getOperation>> {
  const { reads, clock } = context
  const now = clock()
  const only = {
    sort: 'name',
    since: now,
    q: null,
    slugs: [slug.toLowerCase()],
    now,
    offset: 0,
    rows: 1,
  } as const
  const collection = await findKnownCollection({ sql: reads }, slug)
  const [found] = await listCollections(reads, only)
  if (!found) throw unknownCollection(slug)
  const { collectionId } = found
  const counted = { now, most: MAX_COUNTED_OFFERS }
  const [[described], topOfferSats, bestTraitBid, offerCount, tradeCount, lastSale] = await Promise.all([
    describe(context, [found], now),
    findTopBid(reads, collectionId, now),
    findTraitBid(reads, collectionId, now),
    countOffers(reads, collectionId, counted),
    countProposals(reads, collectionId, counted),
    findLastSale(reads, collectionId),
  ])
  return {
    ...described!,
    description: found.description,
    buyerRoyaltyBps: collection.buyerRoyaltyBps,
    tradingEnabled: collection.tradingEnabled,
    topOfferSats,
    bestTraitBid,
    offerCount,
    tradeCount,
    lastSale: lastSale && { priceSats: lastSale.priceSats, at: lastSale.soldAt.toISOString() },
  }
}

/** Bucket size of the volume chart in seconds, for 24 to 90 buckets. */
const partOf = (days: number) => (days <= 2 ? 3600 : days <= 14 ? 21_600 : days <= 90 ? 86_400 : 604_800)

/** Returns floors, latest sales and volume over time. Throws `missing`. */
export async function getCollectionHistory(
  { reads, clock }: Context,
  slug: string,
  { days = 30 }: QueryOf<typeof historyOperation>,
): Promise<AnswerOf<typeof historyOperation>> {
  const { collectionId } = await findKnownCollection({ sql: reads }, slug)
  const until = clock()
  const from = new Date(until.getTime() - days * 86_400_000)
  const partSeconds = partOf(days)
  const [steps, sales, volume] = await Promise.all([
    listFloorSteps(reads, collectionId, from),
    listSalePoints(reads, collectionId, from),
    listVolume(reads, collectionId, { from, partSeconds, parts: Math.ceil((days * 86_400) / partSeconds) }),
  ])
  return {
    from: from.toISOString(),
    until: until.toISOString(),
    partSeconds,
    floor: steps.map(({ since, floorSats }) => ({ at: since.toISOString(), sats: floorSats })),
    sales: sales.map(({ soldAt, priceSats, inscriptionId }) => ({
      at: soldAt.toISOString(),
      priceSats,
      inscriptionId,
    })),
    volume: volume.map(({ part, sats, sales }) => ({
      at: new Date(from.getTime() + part * partSeconds * 1000).toISOString(),
      sats,
      sales,
    })),
  }
}

/** Adds window figures, last sales and the floor chart to collections. */
async function addDetails(
  context: Pick<Context, 'reads'>,
  found: readonly CollectionRank[],
  since: Date | null,
  now: Date,
): Promise<AnswerOf<typeof browseOperation>['collections']> {
  const line = Array.from(
    { length: LINE_POINTS },
    (_, n) => new Date(now.getTime() - ((LINE_POINTS - 1 - n) / (LINE_POINTS - 1)) * WINDOWS['7d']),
  )
  const ids = found.map((each) => each.collectionId)
  const [rows, details] = await Promise.all([
    describe(context, found, now),
    listDetails(context.reads, ids, { since: since ?? new Date(0), now, line }),
  ])
  const byId = new Map(details.map((each) => [each.collectionId, each]))
  return rows.map((row, n) => {
    const { collectionId, volumeSats, salesCount } = found[n]!
    const { floorThenSats, topOfferSats, lastSold, floorLine } = byId.get(collectionId)!
    const floorChange = changeOf(floorThenSats, row.floorSats)
    return { ...row, volumeSats, salesCount, floorChange, topOfferSats, lastSold, floorLine }
  })
}

/** Adds floors, floor changes and images to collections. */
async function describe(
  { reads }: Pick<Context, 'reads'>,
  found: readonly CollectionRank[],
  now: Date,
): Promise<Described[]> {
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
      sellerRoyaltyBps: each.sellerRoyaltyBps,
    }
  })
}
