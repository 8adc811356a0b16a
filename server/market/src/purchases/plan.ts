import { buildPurchase } from '@ordbook/bitcoin/trade/purchase.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { Context } from '../context.ts'
import type { ListingRow } from '../listings/queries.ts'
import type { PayingCoins } from '../settlements/payment-coins.ts'
import { type FeeCoinPool, withFeeCoins } from './fee-coins.ts'
import { type Facts, termsOf } from './terms.ts'

/** Builds a purchase at the current fee rate, for preflights and quotes. */
export async function planPurchase(
  context: Context,
  trade: Pick<Facts, 'listings' | 'buyer' | 'donates'>,
  coins: PayingCoins,
  pool: FeeCoinPool,
) {
  const feeRateSatVb = await settlementFeeRate(context)
  const plan = await withFeeCoins(pool, trade.listings.length, (feeCoins) =>
    coins.pay((chosen) => buildPurchase(termsOf(context, { ...trade, feeCoins, feeRateSatVb }, chosen))),
  )
  return { ...plan, feeRateSatVb }
}

/** The settlement and the unconfirmed transfers. */
export const chainingOf = (listings: readonly ListingRow[]) => ({
  added: 1 + listings.filter((listing) => listing.transferHeight === null).length,
})
