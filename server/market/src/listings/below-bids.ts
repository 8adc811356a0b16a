import { conflict } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { findBidAbove } from '../settlements/bid-queries.ts'
import { tradeEconomics } from '../settlements/economics.ts'

/** Throws `conflict` if a bid would pay the seller more than the listing. */
export async function rejectBelowBestBid(
  context: Context,
  { profileId }: Session,
  collection: CollectionRow,
  items: readonly { inscriptionId: string; priceSats: number }[],
): Promise<void> {
  const { sql, clock } = context
  const listings = items.map(({ inscriptionId, priceSats }) => {
    const { sellerReceiveSats } = tradeEconomics(context, collection, priceSats, 'listing')
    return { inscriptionId, priceSats, receiveSats: sellerReceiveSats }
  })
  const feeRateSatVb = await settlementFeeRate(context)
  const above = await findBidAbove(sql, listings, { profileId, now: clock(), feeRateSatVb })
  if (above)
    throw conflict(
      'better-bid',
      `There is an offer of ${above.priceSats} sats on ${above.inscriptionId}. It pays you ${above.netSats} sats after all fees, this listing ${above.receiveSats}. Accept the offer, raise your price or decline the offer.`,
    )
}
