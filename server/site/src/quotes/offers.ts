import type { quoteOffers as operation } from '@ordbook/contract/storefront/quotes.ts'
import { getTradedCollection } from '@ordbook/market/collections/inscriptions.ts'
import { describeOfferEconomics } from '@ordbook/market/offers/economics.ts'
import { checkItems } from '@ordbook/market/offers/make.ts'
import { minimumOffer } from '@ordbook/market/offers/minimums.ts'
import { CHAINING, planOffers, type SellerSide, sellerSide } from '@ordbook/market/offers/plan.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { billOf } from './bill.ts'
import { compare } from './comparison.ts'
import { listLiveListings } from './live-queries.ts'
import { quotedWallet, quoteFrom } from './wallet.ts'

/** Returns the bill of the most expensive of several offers: accepting one ends the others. Throws `missing` or `invalid`. */
export const quoteOffers: UseCase<typeof operation> = async (context, { session, params, body }) => {
  const { config, reads, clock } = context
  const { inscriptionIds, priceSats } = body
  const collection = await getTradedCollection(context, params.slug)
  await checkItems(context, collection, body)
  const wallet = await quotedWallet(context, session, body)
  const sides: SellerSide[] = []
  for (const inscriptionId of inscriptionIds)
    sides.push(await sellerSide(context, session, collection, inscriptionId))
  const { buyer } = wallet
  const { plan, funds } = await quoteFrom(context, wallet, {
    plan: (coins) => planOffers(context, { collection, priceSats, sides, buyer }, coins),
    chosenOf: ({ chosen }) => chosen,
    chaining: CHAINING,
  })
  const { economics, feeRateSatVb, built } = plan
  const live = new Map(
    (await listLiveListings(reads, inscriptionIds, clock())).map((row) => [row.inscriptionId, row]),
  )
  const items = built.map(({ offer }, i) => {
    const inscriptionId = inscriptionIds[i]!
    const { coin, minimums } = sides[i]!
    const least = minimumOffer(config, minimums)
    const listing = live.get(inscriptionId)
    const described = describeOfferEconomics(economics, coin.valueSats)
    return {
      inscriptionId,
      ...described,
      estimatedNetworkFeeSats: offer.feeSats,
      totalBuyerCostSats: described.buyerPayTotalSats + coin.valueSats + offer.feeSats,
      minimumSats: least.sats,
      minimumReason: least.reason,
      listingId: listing?.listingId ?? null,
      listingPriceSats: listing?.priceSats ?? null,
    }
  })
  const mostExpensive = items.reduce((a, b) => (b.totalBuyerCostSats > a.totalBuyerCostSats ? b : a))
  return {
    items,
    ...billOf(
      {
        price: priceSats,
        marketplaceFee: { sats: economics.buyerMarketplaceFeeSats, rateBps: economics.buyerFeeBps },
        creatorRoyalty: { sats: economics.buyerCreatorRoyaltySats, rateBps: economics.buyerRoyaltyBps },
        postage: mostExpensive.inscriptionUtxoValueSats,
        networkFee: mostExpensive.estimatedNetworkFeeSats,
      },
      'buyer',
    ),
    ...funds,
    targetFeeRateSatVb: feeRateSatVb,
    ...(await compare(context, session, collection, { inscriptionIds, feeRateSatVb })),
  }
}
