import type { KeySpend } from '../address.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf, sumSats } from '../sats.ts'
import type { TxOutput } from '../transaction.ts'
import { type Coin, type Layout, type LayoutOutput, signedVsizeOf } from './layout.ts'
import { type Payer, paymentInputs, withChange } from './payment.ts'

/** Payments and recipient of a sale. */
export interface SaleTerms {
  /** Seller's proceeds plus postage. */
  payoutSats: number
  payoutScript: Uint8Array
  marketplaceRevenueSats: number
  marketScript: Uint8Array
  royalty: TxOutput | null
  /** Receives the inscription. */
  buyerScript: Uint8Array
}

export interface OfferTerms extends Payer, SaleTerms {
  inscriptionCoin: Coin
  /** Owner's key for the coin. */
  seller: KeySpend
  feeRateSatVb: number
}

export interface Offer {
  settlement: Layout
  vsize: number
  feeSats: number
  changeSats: number
  /** Total cost to the buyer, including postage. */
  totalCostSats: number
}

/** Returns the outputs for payout, market fees and royalty. */
export function sideOutputs(
  terms: Pick<SaleTerms, 'payoutSats' | 'payoutScript' | 'marketScript' | 'royalty'>,
  marketSats: number,
): LayoutOutput[] {
  const { payoutSats, payoutScript, marketScript, royalty } = terms
  return [
    { role: 'payout', valueSats: payoutSats, script: payoutScript },
    ...(marketSats > 0 ? [{ role: 'service', valueSats: marketSats, script: marketScript } as const] : []),
    ...(royalty ? [{ role: 'royalty', ...royalty } as const] : []),
  ]
}

/**
 * Builds the settlement of an offer. Inputs: the inscription's coin, the payments. Outputs: the inscription at the same value, payout,
 * market, royalty, change. Both sides sign everything. The seller signs DEFAULT, because other sighashes are unsafe outside escrow. Throws
 * `coins-insufficient`.
 */
export function buildOffer(terms: OfferTerms): Offer {
  const { inscriptionCoin, seller, buyerScript, payments } = terms
  const sides = sideOutputs(terms, terms.marketplaceRevenueSats)
  const base: Layout = {
    version: 2,
    inputs: [
      { role: 'inscription', coin: inscriptionCoin, signer: 'seller', spend: { by: 'key', ...seller } },
      ...paymentInputs(terms),
    ],
    outputs: [{ role: 'inscription', valueSats: inscriptionCoin.valueSats, script: buyerScript }, ...sides],
  }
  const costSats = sumSats(sides.map((output) => output.valueSats))
  const { layout, vsize, feeSats, changeSats } = withChange(base, terms, costSats, terms.feeRateSatVb)
  const totalCostSats = sumSats(payments.map((coin) => coin.valueSats)) - changeSats
  return { settlement: layout, vsize, feeSats, changeSats, totalCostSats }
}

/**
 * Builds a CPFP transaction that raises the fee rate of an acceptance by spending the payout. Returns null if the signed rate suffices.
 * Throws `payout-too-small` if less than `leastSats` would remain.
 */
export function buildPayoutLift(
  settlement: { txid: string; layout: Layout; vsize: number; feeSats: number },
  seller: KeySpend,
  target: { feeRateSatVb: number; leastSats: number },
): { layout: Layout; feeSats: number } | null {
  const vout = settlement.layout.outputs.findIndex((output) => output.role === 'payout')
  const payout = settlement.layout.outputs[vout]!
  const layoutWith = (valueSats: number): Layout => ({
    version: 2,
    inputs: [
      {
        role: 'payout',
        coin: { txid: settlement.txid, vout, valueSats: payout.valueSats, script: payout.script },
        signer: 'seller',
        spend: { by: 'key', ...seller },
      },
    ],
    outputs: [{ role: 'payout', valueSats, script: payout.script }],
  })
  if (feeOf(settlement.vsize, target.feeRateSatVb) <= settlement.feeSats) return null
  const feeSats =
    feeOf(settlement.vsize + signedVsizeOf(layoutWith(0)), target.feeRateSatVb) - settlement.feeSats
  if (payout.valueSats - feeSats < target.leastSats)
    throw new BitcoinError(
      'payout-too-small',
      'the network fee would leave too little of the payout. Accept at a lower fee rate',
      {
        feeSats,
      },
    )
  return { layout: layoutWith(payout.valueSats - feeSats), feeSats }
}
