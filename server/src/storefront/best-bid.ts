import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getBestBid as operation } from '@ordbook/contract/storefront/inscriptions.ts'
import { settlementFeeRate } from '../chain/fee-rates.ts'
import type { Context } from '../context.ts'
import type { Session } from '../http/operations.ts'
import { findBestBid } from '../settlements/bid-queries.ts'
import { findSlugOfBid } from './inscription-queries.ts'

/** The bid that leaves the owner of an inscription the most at the present fee rate; bids of the caller do not count. */
export async function getBestBid(
  context: Context,
  { profileId }: Session,
  inscriptionId: string,
): Promise<AnswerOf<typeof operation>> {
  const { reads, clock } = context
  const feeRateSatVb = await settlementFeeRate(context)
  const bid = await findBestBid(reads, inscriptionId, { profileId, now: clock(), feeRateSatVb })
  return { bid: bid && { ...bid, collectionSlug: await findSlugOfBid(reads, bid.offerId) } }
}
