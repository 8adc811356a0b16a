import type { KeySpend } from '../address.ts'
import { feeOf, sumSats } from '../sats.ts'
import { txidOf } from '../transaction.ts'
import { type Coin, type Layout, signedVsizeOf, transactionOf } from './layout.ts'
import { ANCHOR_SATS, saleInputOf, TRANSFER_VSIZE, type TransferTerms } from './listing.ts'
import { type SaleTerms, sideOutputs } from './offer.ts'
import { type Paid, type Payer, paymentInputs, withChange } from './payment.ts'

/** Terms of a counter to one buyer. Its recovery is built with `buildRecovery`. */
export interface CounterTerms extends TransferTerms, SaleTerms {
  /** Counters and listings on an escrow coin share generations. */
  generation: number
  /** 330-sat coin for the recovery's fee. */
  recoveryCoin: Coin
}

/** Output of the buyer's funding transaction. */
export interface CounterFunding {
  coin: Coin
  spend: KeySpend
}

/**
 * Builds the settlement of a counter. Inputs: the escrow coin, the funding output. Outputs: the inscription, payout, market, royalty. The
 * seller signs all outputs (ALL with ANYONECANPAY). Without funding, returns the template for the seller's signature.
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
  /** Spends the buyer's coins into the funding output and change. */
  funding: Paid
  settlement: Layout
  settlementVsize: number
  packageFeeSats: number
  /** Total cost to the buyer. */
  totalCostSats: number
}

/** Builds the buyer's transactions for a counter. Throws `coins-insufficient`. */
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
  // The anchor pays part of the transfer's fee. The settlement pays the rest.
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
