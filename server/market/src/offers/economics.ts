import { buildOffer, type OfferTerms } from '@ordbook/bitcoin/trade/offer.ts'
import type { Taking } from '../settlements/bid-economics.ts'
import type { TradeEconomics } from '../settlements/economics.ts'

/** Returns an offer's price breakdown. `postageSats` is the value of the inscription's coin. */
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

/** Maximum size in vB of the seller's CPFP child, for nested segwit. */
const LIFT_VSIZE = 134

/** Returns the seller's proceeds from an offer. Above the signed fee rate, a child of the payout pays the difference. */
export function takingOfOffer(terms: OfferTerms, { sellerReceiveSats }: TradeEconomics): Taking {
  const { vsize, feeSats } = buildOffer(terms)
  return {
    receiveSats: sellerReceiveSats,
    settlementVsize: vsize,
    packageVsize: vsize + LIFT_VSIZE,
    paidSats: feeSats,
  }
}
