import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { quotePurchase } from '@ordbook/contract/storefront/quotes.ts'
import { listFloors } from '../collections/floor-queries.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import type { Session } from '../http/operations.ts'
import { findTopBid, listLookAlikes } from '../storefront/collection-queries.ts'
import { listItemPrices, listTraitPrices } from './comparison-queries.ts'

type Comparison = Pick<AnswerOf<typeof quotePurchase>, 'collection' | 'comparisons'>

/** The facts about a collection that a price is compared with. */
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

/** The facts about a collection and its items that a price is compared with. Bids of the session do not count. */
export async function compare(
  context: Context,
  { profileId }: Session,
  collection: CollectionRow,
  { inscriptionIds, feeRateSatVb }: { inscriptionIds: readonly string[]; feeRateSatVb: number },
): Promise<Comparison> {
  const { reads, clock } = context
  const { collectionId } = collection
  const asking = { collectionId, inscriptionIds, profileId, now: clock(), feeRateSatVb }
  const [ofCollection, prices, traits] = await Promise.all([
    compareCollection(context, collection),
    listItemPrices(reads, asking),
    listTraitPrices(reads, asking),
  ])
  const byItem = new Map(traits.map((trait) => [trait.inscriptionId, trait]))
  return {
    collection: ofCollection,
    comparisons: prices.map(({ inscriptionId, lastSaleSats, topOfferSats, ...bid }) => {
      const trait = byItem.get(inscriptionId)
      return {
        inscriptionId,
        lastSaleSats,
        traitFloor: trait ? { type: trait.type, value: trait.value, floorSats: trait.floorSats } : null,
        traitSales: trait?.count
          ? { leastSats: trait.leastSats!, mostSats: trait.mostSats!, count: trait.count }
          : null,
        topOfferSats,
        bestBid:
          bid.bidId === null
            ? null
            : {
                offerId: bid.bidId,
                collectionSlug: bid.bidSlug,
                priceSats: bid.bidPriceSats!,
                netSats: bid.bidNetSats!,
              },
      }
    }),
  }
}
