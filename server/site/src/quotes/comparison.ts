import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { quotePurchase } from '@ordbook/contract/storefront/quotes.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { listFloors } from '@ordbook/market/collections/floor-queries.ts'
import type { CollectionRow } from '@ordbook/market/collections/queries.ts'
import type { Context } from '@ordbook/market/context.ts'
import { listBestBids } from '@ordbook/market/settlements/bid-queries.ts'
import { findTopBid, listLookAlikes } from '../collections/collection-queries.ts'
import { listItemPrices, listTraitPrices } from './comparison-queries.ts'

type Comparison = Pick<AnswerOf<typeof quotePurchase>, 'collection' | 'comparisons'>

export async function compareCollection(
  { reads, clock }: Context,
  collection: CollectionRow,
): Promise<Comparison['collection']> {
  const now = clock()
  const { slug, name, collectionId, verificationStatus } = collection
  const [[floor], topOfferSats, lookAlikes] = await Promise.all([
    listFloors(reads, [slug], now),
    findTopBid(reads, collectionId, now),
    listLookAlikes(reads, [collectionId]),
  ])
  return {
    collectionSlug: slug,
    collectionName: name,
    verificationStatus,
    sameNameAs: lookAlikes.get(collectionId) ?? null,
    floorSats: floor?.floorSats ?? null,
    topOfferSats,
  }
}

/** Returns reference prices of a collection and its items, excluding the session's bids. */
export async function compare(
  context: Context,
  { profileId }: Session,
  collection: CollectionRow,
  { inscriptionIds, feeRateSatVb }: { inscriptionIds: readonly string[]; feeRateSatVb: number },
): Promise<Comparison> {
  const { reads, clock } = context
  const { collectionId } = collection
  const now = clock()
  const [ofCollection, prices, traits, bids] = await Promise.all([
    compareCollection(context, collection),
    listItemPrices(reads, inscriptionIds, now),
    listTraitPrices(reads, { collectionId, inscriptionIds, now }),
    listBestBids(reads, inscriptionIds, { profileId, now, feeRateSatVb }),
  ])
  const traitOf = new Map(traits.map((trait) => [trait.inscriptionId, trait]))
  const bidOf = new Map(bids.map(({ inscriptionId, ...bid }) => [inscriptionId, bid]))
  return {
    collection: ofCollection,
    comparisons: prices.map((price) => {
      const trait = traitOf.get(price.inscriptionId)
      return {
        ...price,
        traitFloor: trait ? { type: trait.type, value: trait.value, floorSats: trait.floorSats } : null,
        traitSales: trait?.count
          ? { leastSats: trait.leastSats!, mostSats: trait.mostSats!, count: trait.count }
          : null,
        bestBid: bidOf.get(price.inscriptionId) ?? null,
      }
    }),
  }
}
