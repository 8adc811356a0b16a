import type { BatchRow } from '../batch/use-batch.ts'
import { useBestBids } from '../forms/best-bids.ts'
import { useItemValues } from '../holdings/item-values.ts'
import { useCollections } from '../parts/use-collections.ts'
import type { Known } from './listing-rows.ts'

/** Adds the reference prices of items, once loaded. */
export function useReferences(known: readonly Known[]): BatchRow[] {
  const ids = known.map(({ inscriptionId }) => inscriptionId)
  const values = useItemValues(ids)
  const bids = useBestBids(ids)
  const collections = useCollections(known.map(({ slug }) => slug))
  return known.map((row) => {
    const value = values.get(row.inscriptionId)
    const collection = collections.get(row.slug)
    const bestBid = row.isInEscrow ? null : (bids.get(row.inscriptionId) ?? null)
    return {
      ...row,
      traitFloorSats: value?.traitFloorSats ?? null,
      traitFloorOf: value?.traitFloorOf ?? null,
      bestBid,
      bestBidSats: bestBid?.priceSats ?? null,
      topOfferSats: collection?.topOfferSats ?? null,
      royaltyBps: collection?.sellerRoyaltyBps ?? null,
    }
  })
}
