import { assertSats, bpsOf } from '../sats.ts'

/** Market fees and creator royalties in bps of the price; market fees have a minimum in sats. */
export interface FeeTerms {
  sellerFeeBps: number
  sellerFeeMinSats: number
  buyerFeeBps: number
  buyerFeeMinSats: number
  sellerRoyaltyBps: number
  buyerRoyaltyBps: number
  /** Dust limit of the creator's output. A smaller royalty is not charged. */
  leastRoyaltySats: number
  /** Dust limit of the market's output; smaller fees are not charged. 0 if the fees share an output. */
  leastRevenueSats: number
}

export interface Economics {
  priceSats: number
  sellerMarketplaceFeeSats: number
  buyerMarketplaceFeeSats: number
  sellerCreatorRoyaltySats: number
  buyerCreatorRoyaltySats: number
  /** Seller's proceeds, without the returned postage. */
  sellerReceiveSats: number
  /** Total price to the buyer, without postage and miner fees. */
  buyerPayTotalSats: number
  marketplaceRevenueSats: number
  creatorRevenueSats: number
}

/**
 * Splits a price into payments. Always: buyerPayTotal = sellerReceive + marketplaceRevenue + creatorRevenue. Throws `sats-out-of-range` if
 * the seller's proceeds would be negative.
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

/** Returns the fees of both sides, or zeros if their sum is below the dust limit. */
function payable(sellerSats: number, buyerSats: number, leastSats: number): readonly [number, number] {
  return sellerSats + buyerSats >= leastSats ? [sellerSats, buyerSats] : [0, 0]
}
