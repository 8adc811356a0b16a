import type { KeySpend } from '../address.ts'
import { feeOf, sumSats } from '../sats.ts'
import { txidOf } from '../transaction.ts'
import { type Coin, type Layout, signedVsizeOf, transactionOf } from './layout.ts'
import { ANCHOR_SATS, saleInputOf, TRANSFER_VSIZE, type TransferTerms } from './listing.ts'
import { type SaleTerms, sideOutputs } from './offer.ts'
import { type Paid, type Payer, paymentInputs, withChange } from './payment.ts'

/** Facts of a seller's counter to one buyer at one price. Its recovery equals a listing's (`buildRecovery`). */
export interface CounterTerms extends TransferTerms, SaleTerms {
  /** As in a listing: counters and listings on one escrow coin share their generations. */
  generation: number
  /** Pays the recovery's fee; 330 sats. */
  recoveryCoin: Coin
}

/** The second input of a counter's settlement, created by the buyer's funding transaction. */
export interface CounterFunding {
  coin: Coin
  spend: KeySpend
}

/**
 * The settlement of a counter. Inputs: the escrow coin, the funding output. Outputs, all of them the seller's to fix
 * (ALL with ANYONECANPAY): the inscription, payout, market with the anchor that the transfer burns, royalty. Without
 * funding it is the template that the seller signs.
 */
export function buildCounterSettlement(terms: CounterTerms, funding: CounterFunding | null): Layout {
  return {
    version: 2,
    inputs: [
      saleInputOf(terms),
      ...(funding
        ? [
            {
              role: 'funding',
              coin: funding.coin,
              signer: 'buyer',
              spend: { by: 'key', ...funding.spend },
            } as const,
          ]
        : []),
    ],
    outputs: [
      { role: 'inscription', valueSats: terms.inscriptionCoin.valueSats, script: terms.buyerScript },
      ...sideOutputs(terms, terms.marketplaceRevenueSats + ANCHOR_SATS),
    ],
  }
}

export interface CounterAcceptance {
  /** The buyer's coins into one output of exactly what the settlement needs, and change. */
  funding: Paid
  settlement: Layout
  settlementVsize: number
  /** Fees of transfer, funding and settlement together. */
  packageFeeSats: number
  /** Everything that leaves the buyer's coins. */
  totalCostSats: number
}

/** The acceptance of a counter from a buyer's coins, at a fee rate. Throws `coins-insufficient`. */
export function buildCounterAcceptance(
  terms: CounterTerms,
  from: Payer,
  feeRateSatVb: number,
): CounterAcceptance {
  const template = buildCounterSettlement(terms, null)
  const script = from.changeScript
  const fundingOf = (valueSats: number, txid: string): CounterFunding => ({
    coin: { txid, vout: 0, valueSats, script },
    spend: from.payer,
  })
  const settlementVsize = signedVsizeOf(buildCounterSettlement(terms, fundingOf(0, '00'.repeat(32))))
  // The transfer pays its anchor; the settlement pays the rest of the transfer's rate.
  const settlementFeeSats = Math.max(
    feeOf(settlementVsize + TRANSFER_VSIZE, feeRateSatVb) - ANCHOR_SATS,
    feeOf(settlementVsize, feeRateSatVb),
  )
  const sidesSats = sumSats(template.outputs.slice(1).map((output) => output.valueSats))
  const fundingSats = sidesSats + settlementFeeSats
  const base: Layout = {
    version: 2,
    inputs: paymentInputs(from),
    outputs: [{ role: 'funding', valueSats: fundingSats, script }],
  }
  const funding = withChange(base, from, fundingSats, feeRateSatVb)
  const settlement = buildCounterSettlement(
    terms,
    fundingOf(fundingSats, txidOf(transactionOf(funding.layout))),
  )
  return {
    funding,
    settlement,
    settlementVsize,
    packageFeeSats: ANCHOR_SATS + funding.feeSats + settlementFeeSats,
    totalCostSats: fundingSats + funding.feeSats,
  }
}
