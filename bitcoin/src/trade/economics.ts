import { assertSats, bpsOf } from '../sats.ts'

/** Fees of the market and the creator: bps of the price, each with a minimum in sats. */
export interface FeeTerms {
  sellerFeeBps: number
  sellerFeeMinSats: number
  buyerFeeBps: number
  buyerFeeMinSats: number
  sellerRoyaltyBps: number
  buyerRoyaltyBps: number
  /** Dust limit of the creator's output; a smaller royalty is not taken. */
  leastRoyaltySats: number
  /** The same for the market's fees if they have a separate output; 0 if they share one. */
  leastRevenueSats: number
}

export interface Economics {
  priceSats: number
  sellerMarketplaceFeeSats: number
  buyerMarketplaceFeeSats: number
  sellerCreatorRoyaltySats: number
  buyerCreatorRoyaltySats: number
  /** The seller's net, without the returned postage. */
  sellerReceiveSats: number
  /** Sats that the buyer pays for this listing, without postage and miner fees. */
  buyerPayTotalSats: number
  marketplaceRevenueSats: number
  creatorRevenueSats: number
}

/**
 * Splits a price. Always: buyerPayTotal = sellerReceive + marketplaceRevenue + creatorRevenue.
 * Throws `sats-out-of-range` when the seller would receive less than nothing.
 */
export function economicsOf(priceSats: number, fees: FeeTerms): Economics {
  const [sellerMarketplaceFeeSats, buyerMarketplaceFeeSats] = payable(
    Math.max(bpsOf(priceSats, fees.sellerFeeBps), fees.sellerFeeMinSats),
    Math.max(bpsOf(priceSats, fees.buyerFeeBps), fees.buyerFeeMinSats),
    fees.leastRevenueSats,
  )
  const [sellerCreatorRoyaltySats, buyerCreatorRoyaltySats] = payable(
    bpsOf(priceSats, fees.sellerRoyaltyBps),
    bpsOf(priceSats, fees.buyerRoyaltyBps),
    fees.leastRoyaltySats,
  )
  return {
    priceSats: assertSats(priceSats),
    sellerMarketplaceFeeSats,
    buyerMarketplaceFeeSats,
    sellerCreatorRoyaltySats,
    buyerCreatorRoyaltySats,
    sellerReceiveSats: assertSats(priceSats - sellerMarketplaceFeeSats - sellerCreatorRoyaltySats),
    buyerPayTotalSats: assertSats(priceSats + buyerMarketplaceFeeSats + buyerCreatorRoyaltySats),
    marketplaceRevenueSats: sellerMarketplaceFeeSats + buyerMarketplaceFeeSats,
    creatorRevenueSats: sellerCreatorRoyaltySats + buyerCreatorRoyaltySats,
  }
}

/** Fees of both sides, or none if their sum is below the dust limit. */
function payable(sellerSats: number, buyerSats: number, leastSats: number): readonly [number, number] {
  return sellerSats + buyerSats >= leastSats ? [sellerSats, buyerSats] : [0, 0]
}
