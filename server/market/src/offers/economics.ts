import { buildOffer, type OfferTerms } from '@ordbook/bitcoin/trade/offer.ts'
import type { Taking } from '../settlements/bid-economics.ts'
import type { TradeEconomics } from '../settlements/economics.ts'

/** The breakdown of an offer as the API names it; `postageSats` is what the inscription's coin holds. */
export function describeOfferEconomics(economics: TradeEconomics, postageSats: number) {
  return {
    priceSats: economics.priceSats,
    inscriptionUtxoValueSats: postageSats,
    sellerMarketplaceFeeBps: economics.sellerFeeBps,
    sellerMarketplaceFeeSats: economics.sellerMarketplaceFeeSats,
    buyerMarketplaceFeeBps: economics.buyerFeeBps,
    buyerMarketplaceFeeSats: economics.buyerMarketplaceFeeSats,
    sellerCreatorRoyaltyBps: economics.sellerRoyaltyBps,
    sellerCreatorRoyaltySats: economics.sellerCreatorRoyaltySats,
    buyerCreatorRoyaltyBps: economics.buyerRoyaltyBps,
    buyerCreatorRoyaltySats: economics.buyerCreatorRoyaltySats,
    sellerReceiveSats: economics.sellerReceiveSats,
    buyerPayTotalSats: economics.buyerPayTotalSats,
    marketplaceRevenueSats: economics.marketplaceRevenueSats,
    creatorRevenueSats: economics.creatorRevenueSats,
  }
}

/** Size in vB of the child by which a seller lifts an acceptance: one input and one output, nested segwit the largest. */
const LIFT_VSIZE = 134

/** The seller's side of an acceptance. Above the rate that the buyer signed, a child of the payout pays for both. */
export function takingOfOffer(terms: OfferTerms, { sellerReceiveSats }: TradeEconomics): Taking {
  const { vsize, feeSats } = buildOffer(terms)
  return {
    receiveSats: sellerReceiveSats,
    settlementVsize: vsize,
    packageVsize: vsize + LIFT_VSIZE,
    paidSats: feeSats,
  }
}
