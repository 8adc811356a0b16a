import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { quoteOfferAcceptance as operation } from '@ordbook/contract/storefront/seller-quotes.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getCollectionById } from '@ordbook/market/collections/inscriptions.ts'
import { buildAcceptance } from '@ordbook/market/offers/accept.ts'
import { assertActive, offeredTo } from '@ordbook/market/offers/act.ts'
import { describeOfferEconomics } from '@ordbook/market/offers/economics.ts'
import { acceptanceRate } from '@ordbook/market/settlements/bid-economics.ts'
import type { TradeEconomics } from '@ordbook/market/settlements/economics.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { billOf } from './bill.ts'
import { compare } from './comparison.ts'

/** Returns the bill of accepting an offer. Throws `missing`, `forbidden`, `invalid`, or `conflict` if the offer is no longer active. */
export const quoteAcceptance: UseCase<typeof operation> = async (context, call) => {
  const { session, body } = call
  const { offer, binding } = await offeredTo(context, call)
  assertActive(context, offer)
  const estimate = await settlementFeeRate(context)
  const targetFeeRateSatVb = body.targetFeeRateSatVb ?? acceptanceRate(estimate)
  // The address's output key is sufficient: sizes do not depend on the key behind it.
  const outputKey = bytesToHex(binding.ordinalsScript.slice(2))
  const { liftFeeSats } = buildAcceptance(offer, binding, outputKey, targetFeeRateSatVb)
  const economics = unpack<TradeEconomics>(offer.economics)
  const collection = await getCollectionById(context, offer.collectionId)
  const inscriptionIds = [offer.inscriptionId]
  const paid = billOf(
    {
      price: offer.priceSats,
      marketplaceFee: { sats: economics.sellerMarketplaceFeeSats, rateBps: economics.sellerFeeBps },
      creatorRoyalty: { sats: economics.sellerCreatorRoyaltySats, rateBps: economics.sellerRoyaltyBps },
      networkFee: liftFeeSats,
    },
    'seller',
  )
  return {
    inscriptionId: offer.inscriptionId,
    ...describeOfferEconomics(economics, offer.postageSats),
    postageReturned: true,
    targetFeeRateSatVb,
    estimatedNetworkFeeSats: liftFeeSats,
    payoutSats: paid.totalSats + offer.postageSats,
    ...paid,
    ...(await compare(context, session, collection, { inscriptionIds, feeRateSatVb: estimate })),
  }
}
