import { buildFundingParent, type CollectionOfferTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { criteriaHash, criteriaText } from '@ordbook/bitcoin/trade/criteria.ts'
import type { quoteCollectionOffers as operation } from '@ordbook/contract/storefront/quotes.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import {
  openTermsOf,
  rejectUnfillable,
  takingOfBid,
} from '@ordbook/market/collection-offers/bid-economics.ts'
import { offersSharingCoins, payOffers } from '@ordbook/market/collection-offers/coins.ts'
import { findTargetFloors } from '@ordbook/market/collection-offers/queries.ts'
import { ladderOf, targetOf } from '@ordbook/market/collection-offers/target.ts'
import { getTradedCollection } from '@ordbook/market/collections/inscriptions.ts'
import { countEligible } from '@ordbook/market/collections/queries.ts'
import { sellerNet } from '@ordbook/market/settlements/bid-economics.ts'
import type { UseCase } from '@ordbook/market/use-case.ts'
import { billOf } from './bill.ts'
import { compareCollection } from './comparison.ts'
import { quotedWallet, quoteFrom } from './wallet.ts'

/** Returns the bill of collection and trait offers. Throws `missing` or `invalid`. */
export const quoteCollectionOffers: UseCase<typeof operation> = async (
  context,
  { session, params, body },
) => {
  const { sql, clock } = context
  const collection = await getTradedCollection(context, params.slug)
  const prices = ladderOf(body)
  const target = targetOf(body.target)
  const { count } = await countEligible(sql, collection.collectionId, target)
  if (count === 0) throw invalid('criteria-unmet', `target: no item in ${collection.slug} matches`)
  const wallet = await quotedWallet(context, session, body)
  const { plan: coins, funds } = await quoteFrom(context, wallet, {
    plan: (candidates) => payOffers(candidates, prices),
    chosenOf: (chosen) => chosen.flat(),
    criteriaHash: criteriaHash(criteriaText(collection.slug, body.target)),
  })
  const feeRateSatVb = await settlementFeeRate(context)
  const shared = funds.exact ? offersSharingCoins(coins) : prices.map(() => [])
  const offers = prices.map((priceSats, k) => {
    const open = openTermsOf(context, wallet.buyer, priceSats, coins[k]!)
    const terms: CollectionOfferTerms = { ...open, secretHash: new Uint8Array(32) }
    const funding = buildFundingParent(terms).outputs[0]!
    const taking = takingOfBid(context, collection, terms)
    return { priceSats, totalBuyerCostSats: funding.valueSats, taking, sharesCoinsWith: shared[k]! }
  })
  await rejectUnfillable(
    context,
    offers.map((offer) => offer.taking),
    'coins-fragmented',
  )
  const mostExpensive = dearestOf(offers)
  const sum = (of: (offer: (typeof offers)[number]) => number) =>
    mostExpensive.reduce((total, at) => total + of(offers[at]!), 0)
  return {
    offers: offers.map(({ taking, ...offer }) => ({
      ...offer,
      sellerNetSats: Math.max(sellerNet(taking, feeRateSatVb), 0),
    })),
    eligibleCount: count,
    targetFloorSats: (await findTargetFloors(sql, collection.collectionId, target, clock())).floorSats,
    ...billOf(
      {
        price: sum((offer) => offer.priceSats),
        networkFee: sum((offer) => offer.totalBuyerCostSats - offer.priceSats),
      },
      'buyer',
    ),
    ...funds,
    selectedPaymentUtxos: distinct(funds.selectedPaymentUtxos),
    targetFeeRateSatVb: feeRateSatVb,
    collection: await compareCollection(context, collection),
  }
}

/**
 * Returns the positions of the most expensive offers that can all be filled. Offers that share a coin exclude each other. Tries all subsets
 * of at most ten offers.
 */
function dearestOf(
  offers: readonly { totalBuyerCostSats: number; sharesCoinsWith: readonly number[] }[],
): number[] {
  let best: { sats: number; set: number[] } = { sats: -1, set: [] }
  for (let chosen = 0; chosen < 1 << offers.length; chosen++) {
    const set = [...offers.keys()].filter((at) => chosen & (1 << at))
    if (set.some((at) => offers[at]!.sharesCoinsWith.some((other) => chosen & (1 << other)))) continue
    const sats = set.reduce((total, at) => total + offers[at]!.totalBuyerCostSats, 0)
    if (sats > best.sats) best = { sats, set }
  }
  return best.set
}

const distinct = <C extends { txid: string; vout: number }>(coins: readonly C[]): C[] => [
  ...new Map(coins.map((coin) => [`${coin.txid}:${coin.vout}`, coin])).values(),
]
