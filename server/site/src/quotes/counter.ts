import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { quoteCounterAcceptance as acceptanceOperation } from '@ordbook/contract/storefront/quotes.ts'
import type { quoteCounter as operation } from '@ordbook/contract/storefront/seller-quotes.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getCollectionById } from '@ordbook/market/collections/inscriptions.ts'
import { loadOwnedCoin } from '@ordbook/market/listings/owner.ts'
import { CHAINING, countered, planCounterAcceptance } from '@ordbook/market/offers/accept-counter.ts'
import { assertActive } from '@ordbook/market/offers/act.ts'
import { answered } from '@ordbook/market/offers/counter.ts'
import { describeOfferEconomics } from '@ordbook/market/offers/economics.ts'
import { type TradeEconomics, tradeEconomics } from '@ordbook/market/settlements/economics.ts'
import { assertConfirmedCoins } from '@ordbook/market/settlements/payment-coins.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { billOf } from './bill.ts'
import { compare } from './comparison.ts'
import { quotedWallet, quoteFrom } from './wallet.ts'

/** Returns the bill of a counteroffer for its maker. Throws `missing`, `forbidden`, `invalid` or `conflict`. */
export const quoteCounter: UseCase<typeof operation> = async (context, call) => {
  const { session, body } = call
  const { parent, binding } = await answered(context, call)
  const { inscriptionId } = parent
  const { coin } = await loadOwnedCoin(context, binding, inscriptionId)
  const collection = await getCollectionById(context, parent.collectionId)
  const economics = tradeEconomics(context, collection, body.priceSats, 'counter')
  const feeRateSatVb = await settlementFeeRate(context)
  return {
    inscriptionId,
    ...describeOfferEconomics(economics, coin.valueSats),
    postageReturned: true,
    targetFeeRateSatVb: feeRateSatVb,
    estimatedNetworkFeeSats: 0,
    payoutSats: economics.sellerReceiveSats + coin.valueSats,
    ...billOf(
      {
        price: body.priceSats,
        marketplaceFee: { sats: economics.sellerMarketplaceFeeSats, rateBps: economics.sellerFeeBps },
        creatorRoyalty: { sats: economics.sellerCreatorRoyaltySats, rateBps: economics.sellerRoyaltyBps },
      },
      'seller',
    ),
    ...(await compare(context, session, collection, { inscriptionIds: [inscriptionId], feeRateSatVb })),
  }
}

/** Returns the bill of accepting a counteroffer for its buyer. Throws `missing`, `forbidden`, `invalid` or `conflict`. */
export const quoteCounterAcceptance: UseCase<typeof acceptanceOperation> = async (context, call) => {
  const { session, body } = call
  const { counter, terms } = await countered(context, call)
  assertActive(context, counter)
  await assertConfirmedCoins(context, [terms.inscriptionCoin])
  const wallet = await quotedWallet(context, session, body)
  const { plan, funds } = await quoteFrom(context, wallet, {
    plan: (coins) => planCounterAcceptance(context, terms, wallet.buyer, coins),
    chosenOf: ({ chosen }) => chosen,
    chaining: CHAINING,
  })
  const { built, feeRateSatVb } = plan
  const economics = unpack<TradeEconomics>(counter.economics)
  const collection = await getCollectionById(context, counter.collectionId)
  const { inscriptionId, postageSats } = counter
  return {
    inscriptionId,
    ...describeOfferEconomics(economics, postageSats),
    estimatedNetworkFeeSats: built.packageFeeSats,
    totalBuyerCostSats: built.totalCostSats,
    ...billOf(
      {
        price: economics.priceSats,
        marketplaceFee: { sats: economics.buyerMarketplaceFeeSats, rateBps: economics.buyerFeeBps },
        creatorRoyalty: { sats: economics.buyerCreatorRoyaltySats, rateBps: economics.buyerRoyaltyBps },
        postage: postageSats,
        networkFee: built.packageFeeSats - ANCHOR_SATS,
        sellerTransfers: ANCHOR_SATS,
      },
      'buyer',
    ),
    ...funds,
    targetFeeRateSatVb: feeRateSatVb,
    ...(await compare(context, session, collection, { inscriptionIds: [inscriptionId], feeRateSatVb })),
  }
}
