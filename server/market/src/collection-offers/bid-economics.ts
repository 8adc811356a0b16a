import { buildFill, type CollectionOfferTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { toFault } from '../preflight/refuse.ts'
import { MIN_NET_SATS, sellerNet, type Taking } from '../settlements/bid-economics.ts'
import { royaltyOf, tradeEconomics } from '../settlements/economics.ts'
import type { Buyer } from '../settlements/payment-coins.ts'

/** Omits the hash of the guardian's secret. */
export const openTermsOf = (
  { guardian, market }: Pick<Context, 'guardian' | 'market'>,
  buyer: Buyer,
  priceSats: number,
  payments: readonly Coin[],
) => ({
  payments,
  payer: buyer.payer,
  changeScript: buyer.paymentScript,
  makerScript: buyer.ordinalsScript,
  guardianKey: guardian.key,
  marketKey: market.cosignKey,
  priceSats,
})

/** Returns a seller's proceeds at current fees, before the network fee. Assumes a taproot payout, the largest. */
export function takingOfBid(
  context: Pick<Context, 'config' | 'market'>,
  collection: CollectionRow,
  terms: CollectionOfferTerms,
): Taking {
  const { coins, coinScript } = context.market
  const economics = tradeEconomics(context, collection, terms.priceSats, 'fill')
  const fill = toFault(
    () =>
      buildFill({
        offer: terms,
        inscriptionCoin: { txid: '00'.repeat(32), vout: 0, valueSats: 330, script: coinScript },
        seller: coins,
        sellerReceiveSats: economics.sellerReceiveSats,
        payoutScript: coinScript,
        marketplaceRevenueSats: economics.marketplaceRevenueSats,
        marketScript: coinScript,
        royalty: royaltyOf(economics),
        feeRateSatVb: 0,
        leastPayoutSats: 0,
      }),
    'priceSats',
  )
  const funding = fill.settlement.inputs.find((input) => input.role === 'funding')!
  return {
    receiveSats: economics.sellerReceiveSats,
    settlementVsize: fill.packageVsize,
    packageVsize: fill.packageVsize,
    // Change below the dust limit goes to the miners.
    paidSats: funding.coin.valueSats - terms.priceSats,
  }
}

/** Throws if the network fee of a fill would exceed the seller's proceeds. */
export async function rejectUnfillable(
  context: Context,
  takings: readonly Taking[],
  code: 'coins-fragmented' | 'fees-risen',
): Promise<void> {
  const feeRateSatVb = await settlementFeeRate(context)
  for (const taking of takings) {
    const netSats = sellerNet(taking, feeRateSatVb)
    if (netSats < MIN_NET_SATS)
      throw new Fault(
        code,
        `spendableUtxos: with these coins, the network fee of a fill (${taking.packageVsize} vB at ${feeRateSatVb} sat/vB) would exceed the seller's proceeds of ${taking.receiveSats} sats. Use fewer, larger coins.`,
      )
  }
}
