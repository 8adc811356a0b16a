import type { CollectionOfferTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { type CollectionRow, findCollectionById } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import type { Taking } from '../settlements/bid-economics.ts'
import { deleteStaleDeclines, setExecutable } from '../settlements/bid-queries.ts'
import { takingOfBid } from './bid-economics.ts'
import { type BidRow, listBidCollections, listBidsOf, setTaking } from './queries.ts'

const PAUSE_MILLISECONDS = 60_000
const BATCH_SIZE = 500

/**
 * Returns a job that updates the seller's net of all bids when fees or royalties change. Bids below the network fee are not executable
 * until it falls. The rate is rounded up to ignore small changes.
 */
export function followBids(context: Context): () => Promise<void> {
  let last = { rate: Number.NaN, at: Number.NEGATIVE_INFINITY }
  let royalties = new Map<string, string>()
  return async () => {
    const rate = Math.ceil(await settlementFeeRate(context))
    const at = performance.now()
    if (rate === last.rate && at - last.at < PAUSE_MILLISECONDS) return
    royalties = await renewTakings(context, royalties)
    await setExecutable(context.sql, rate)
    await deleteStaleDeclines(context.sql)
    last = { rate, at }
  }
}

/** Recomputes the bids of collections whose royalty has changed. Returns the current royalties. */
async function renewTakings(
  context: Context,
  before: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const { sql } = context
  const royalties = new Map<string, string>()
  for (const collectionId of await listBidCollections(sql)) {
    const collection = (await findCollectionById(sql, collectionId))!
    const { royaltyScript, sellerRoyaltyBps, buyerRoyaltyBps } = collection
    const royalty = `${sellerRoyaltyBps} ${buyerRoyaltyBps} ${royaltyScript}`
    royalties.set(collectionId, royalty)
    if (before.get(collectionId) === royalty) continue
    for (
      let bids = await listBidsOf(sql, { collectionId, after: null, count: BATCH_SIZE });
      bids.length > 0;
    ) {
      for (const bid of bids) {
        const taking = currentTaking(context, collection, bid)
        if (Object.entries(taking).some(([name, value]) => bid[name as keyof Taking] !== value))
          await setTaking(sql, bid.offerId, taking)
      }
      bids = await listBidsOf(sql, { collectionId, after: bids.at(-1)!.offerId, count: BATCH_SIZE })
    }
  }
  return royalties
}

/** Returns a bid's economics at current fees. `receiveSats` is 0 if fees exceed the price. */
function currentTaking(context: Context, collection: CollectionRow, bid: BidRow): Taking {
  try {
    return takingOfBid(context, collection, unpack<CollectionOfferTerms>(bid.terms))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { settlementVsize, packageVsize, paidSats } = bid
    return { receiveSats: 0, settlementVsize, packageVsize, paidSats }
  }
}
