import type { TradeEconomics } from '../listings/economics.ts'

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
