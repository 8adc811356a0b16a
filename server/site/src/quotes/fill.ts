import type { quoteFill as operation } from '@ordbook/contract/storefront/seller-quotes.ts'
import { assertEligible, offered, planFill } from '@ordbook/market/collection-offers/fill.ts'
import { getCollectionById } from '@ordbook/market/collections/inscriptions.ts'
import { loadOwnedCoin } from '@ordbook/market/listings/owner.ts'
import { assertActive } from '@ordbook/market/offers/act.ts'
import { describeOfferEconomics } from '@ordbook/market/offers/economics.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { billOf } from './bill.ts'
import { compare } from './comparison.ts'
import { sellerOfAddress } from './wallet.ts'

/** Returns the bill of selling into a collection or trait offer. Throws `missing`, `forbidden`, `invalid` or `conflict`. */
export const quoteFill: UseCase<typeof operation> = async (context, { session, params, body }) => {
  const { inscriptionId } = body
  const call = { session, params, body: { ...body, offerId: params.offerId } }
  const { offer, binding } = await offered(context, call)
  assertActive(context, offer)
  await assertEligible(context, offer, inscriptionId)
  const { coin } = await loadOwnedCoin(context, binding, inscriptionId)
  const seller = sellerOfAddress(binding)
  const { built, economics, feeRateSatVb } = await planFill(context, { offer, binding, seller, coin })
  const collection = await getCollectionById(context, offer.collectionId)
  return {
    inscriptionId,
    ...describeOfferEconomics(economics, coin.valueSats),
    postageReturned: false,
    targetFeeRateSatVb: feeRateSatVb,
    estimatedNetworkFeeSats: built.feeSats,
    payoutSats: built.payoutSats,
    ...billOf(
      {
        price: offer.priceSats,
        marketplaceFee: { sats: economics.marketplaceRevenueSats, rateBps: economics.sellerFeeBps },
        creatorRoyalty: { sats: economics.creatorRevenueSats, rateBps: economics.sellerRoyaltyBps },
        networkFee: built.feeSats,
      },
      'seller',
    ),
    ...(await compare(context, session, collection, { inscriptionIds: [inscriptionId], feeRateSatVb })),
  }
}
