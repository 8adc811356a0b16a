import { assertSats, bpsOf } from '../sats.ts'

/** Market fees and royalties in bps. Market fees have a minimum in sats. */
export interface FeeTerms {
  sellerFeeBps: number
  sellerFeeMinSats: number
  buyerFeeBps: number
  buyerFeeMinSats: number
  sellerRoyaltyBps: number
  buyerRoyaltyBps: number
  /** Dust limit of the creator's output. Smaller royalties are waived. */
  leastRoyaltySats: number
  /** Dust limit of the market's output. Smaller fees are waived. 0 if fees share an output. */
  leastRevenueSats: number
}

export interface Economics {
  priceSats: number
  sellerMarketplaceFeeSats: number
  buyerMarketplaceFeeSats: number
  sellerCreatorRoyaltySats: number
  buyerCreatorRoyaltySats: number
  /** Seller's proceeds without postage. */
  sellerReceiveSats: number
  /** Total price without postage and miner fees. */
  buyerPayTotalSats: number
  marketplaceRevenueSats: number
  creatorRevenueSats: number
}

/**
 * Splits a price into payments. buyerPayTotal = sellerReceive + marketplaceRevenue + creatorRevenue. Throws `sats-out-of-range` if the
 * seller's proceeds are negative.
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

/** Returns the fees, or zeros if their sum is below the dust limit. */
function payable(sellerSats: number, buyerSats: number, leastSats: number): readonly [number, number] {
  return sellerSats + buyerSats >= leastSats ? [sellerSats, buyerSats] : [0, 0]
}
