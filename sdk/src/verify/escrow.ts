import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { generationOf } from '@ordbook/bitcoin/trade/generation.ts'
import { type Coin, feeOfLayout, positionsOf } from '@ordbook/bitcoin/trade/layout.ts'
import {
  ANCHOR_SATS,
  buildReclaim,
  buildSaleLeg,
  type TransferTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import { buildPaidMove } from '@ordbook/bitcoin/trade/paid-move.ts'
import { buildPassthrough, type EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { preflightMove, preflightReclaim, preflightRelist } from '../checks/answers.ts'
import { demandAnswer } from '../checks/demand-answer.ts'
import type { MovePreflight, ReclaimPreflight, RelistPreflight } from '../results.ts'
import { demandInside, demandNetwork, type FeeLimits, leastNet } from './answer-checks.ts'
import { demand, refusing } from './demand.ts'
import { chosenOf, type Market, marketCoinOf, marketOf, marketSpendOf, openStep } from './facts.ts'
import { demandGeneration, escrowFormOf } from './listing.ts'
import {
  type InscriptionCoin,
  type MarketKeys,
  type OwnCoin,
  type Owner,
  ordinalsSpendOf,
  paymentSpendOf,
} from './owner.ts'
import { type CostPlan, type Plan, planStep } from './plan.ts'

/** An escrow coin of the wallet, from a source that the user trusts. */
export interface OwnEscrow extends InscriptionCoin {
  escrowForm: EscrowForm
}

/** Terms of a seller for one inscription in escrow. */
export interface RelistAgreement extends FeeLimits {
  inscriptionId: string
  priceSats: number
  escrow: OwnEscrow
  /** Generation of the last signed leg on this coin, if any. Each new price needs a later generation. */
  lastGeneration?: number
}

/** Verifies the preflight of a listing from escrow by rebuilding one leg per agreement, in order. Throws CheckFailed. */
export function verifyRelist(
  owner: Owner,
  keys: MarketKeys,
  agreements: readonly RelistAgreement[],
  answer: RelistPreflight,
): Plan {
  demandAnswer(preflightRelist, answer)
  const { items, steps } = answer
  demand(
    items.length === agreements.length && steps.length === agreements.length,
    'the market prepared a different number of listings',
  )
  const market = marketOf(owner, keys)
  return {
    steps: agreements.map((agreement, i) => {
      const { inscriptionId, priceSats, escrow, lastGeneration } = agreement
      const [item, step] = [items[i]!, steps[i]!]
      const { txid, vout, valueSats, escrowForm } = escrow
      demand(
        item.inscriptionId === inscriptionId &&
          item.txid === txid &&
          item.vout === vout &&
          item.escrowForm === escrowForm,
        'the market prepared a different inscription',
      )
      demandInside(escrow, inscriptionId)
      const { tx } = openStep(step)
      const payoutSats = tx.outputs[0]?.valueSats ?? 0
      const minPayoutSats = leastNet(priceSats, agreement) + valueSats
      demand(
        payoutSats >= minPayoutSats && payoutSats <= priceSats + valueSats,
        `the settlement leg pays ${payoutSats} sats, and the agreed minimum is ${minPayoutSats}`,
      )
      const { generation } = item
      demand(
        refusing(() => generationOf(tx.inputs[0]?.sequence ?? 0)) === generation,
        'the leg does not have the announced generation',
      )
      demandGeneration(inscriptionId, generation, lastGeneration)
      const terms = termsOf(owner, market, escrow)
      return planStep(owner, step, {
        name: `the sale of ${inscriptionId}`,
        layout: refusing(() =>
          buildSaleLeg({ ...terms, generation, payoutSats, payoutScript: owner.paymentScript }),
        ),
        indexes: [0],
        sighash: SIGHASH.SINGLE_ANYONECANPAY,
        stepIndex: i,
      })
    }),
  }
}

/** Verifies a reclaim by rebuilding it: each escrow coin returns to the wallet in full, and the market pays the fee. Throws CheckFailed. */
export function verifyReclaim(
  owner: Owner,
  keys: MarketKeys,
  escrows: readonly OwnEscrow[],
  answer: ReclaimPreflight,
): Plan {
  demandAnswer(preflightReclaim, answer)
  const step = answer.steps[0]!
  const market = marketOf(owner, keys)
  const opened = openStep(step)
  const anchors = opened.tx.inputs
    .slice(escrows.length)
    .map((_, n) => marketCoinOf(opened, escrows.length + n, market))
  demand(anchors.length > 0, 'the market adds no coin for the fee')
  const layout = refusing(() =>
    buildReclaim(
      escrows.map((escrow) => termsOf(owner, market, escrow, marketSpendOf(opened, escrows.length))),
      anchors,
    ),
  )
  const planned = planStep(owner, step, {
    name: 'the withdrawal from escrow',
    layout,
    indexes: escrows.map((_, i) => i),
    sighash: SIGHASH.ALL,
    stepIndex: 0,
  })
  demand(
    planned.txid === answer.expectedTxid && feeOfLayout(layout) === answer.feeSats,
    'the market misstates the transaction or its fee',
  )
  return { steps: [planned] }
}

/** Terms of a move into new escrow coins, which voids old prices on the chain at the owner's cost. */
export interface MoveAgreement {
  escrows: readonly OwnEscrow[]
  /** Form of the new coins; default: `escrowFormOf` the wallet. */
  escrowForm?: EscrowForm
  coins: readonly OwnCoin[]
  maxNetworkSats: number
}

/** Verifies a move by rebuilding it. Returns the plan and the sats that leave the owner's coins. Throws CheckFailed. */
export function verifyMove(
  owner: Owner,
  keys: MarketKeys,
  agreement: MoveAgreement,
  answer: MovePreflight,
): CostPlan {
  demandAnswer(preflightMove, answer)
  const { escrows, escrowForm = escrowFormOf(owner), coins } = agreement
  const market = marketOf(owner, keys)
  const from = {
    payments: chosenOf(owner, coins, answer.selectedPaymentUtxos),
    payer: paymentSpendOf(owner),
    changeScript: owner.paymentScript,
  }
  const terms = escrows.map((escrow) => termsOf(owner, market, escrow))
  const { layout, feeSats } = refusing(() => buildPaidMove(terms, escrowForm, from, answer.feeRateSatVb))
  const planned = planStep(owner, answer.steps[0]!, {
    name: 'the move to new escrows',
    layout,
    indexes: [...positionsOf(layout.inputs, 'escrow'), ...positionsOf(layout.inputs, 'payment')],
    sighash: SIGHASH.ALL,
    stepIndex: 0,
  })
  demand(
    planned.txid === answer.expectedTxid && feeSats === answer.costSats,
    'the market misstates the transaction or its cost',
  )
  demandNetwork(agreement, feeSats)
  return { steps: [planned], costSats: feeSats }
}

/** Returns the terms of an escrow coin, regardless of the transaction that created it. */
function termsOf(
  owner: Owner,
  market: Market,
  { txid, vout, valueSats, escrowForm }: OwnEscrow,
  marketSpend: KeySpend = {
    kind: 'p2tr',
    publicKey: market.script.slice(2),
    internalKey: null,
    redeemScript: null,
  },
): TransferTerms {
  const seller = ordinalsSpendOf(owner)
  const script = refusing(() => buildPassthrough(seller, market.cosignKey, escrowForm).script)
  const anchor: Coin = { txid: '00'.repeat(32), vout: 0, valueSats: ANCHOR_SATS, script: market.script }
  return {
    inscriptionCoin: { txid, vout, valueSats, script: owner.ordinalsScript },
    seller,
    marketKey: market.cosignKey,
    escrowForm,
    movedTo: { txid, vout, valueSats, script },
    anchor,
    market: marketSpend,
  }
}
