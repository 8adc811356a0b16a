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
import { assertAnswer } from '../checks/assert-answer.ts'
import type { MovePreflight, ReclaimPreflight, RelistPreflight } from '../results.ts'
import { assertNetwork, assertOffsetInside, type FeeLimits, minNet } from './answer-checks.ts'
import { asCheckFailed, assert } from './assert.ts'
import { chosenOf, type Market, marketCoinOf, marketOf, marketSpendOf, openStep } from './facts.ts'
import { assertGeneration, escrowFormOf } from './listing.ts'
import {
  type InscriptionCoin,
  type MarketKeys,
  type OwnCoin,
  type Owner,
  ordinalsSpendOf,
  paymentSpendOf,
} from './owner.ts'
import { type CostPlan, type Plan, planStep } from './plan.ts'

/** An escrow coin of the wallet, from a trusted source. */
export interface OwnEscrow extends InscriptionCoin {
  escrowForm: EscrowForm
}

/** Terms of a seller for one inscription in escrow. */
export interface RelistAgreement extends FeeLimits {
  inscriptionId: string
  priceSats: number
  escrow: OwnEscrow
  /** Generation of the last signed leg of this coin. Each new price needs a later generation. */
  lastGeneration?: number
}

/** Verifies the preflight of a listing from escrow: one leg per agreement, in order. Throws CheckFailed. */
export function verifyRelist(
  owner: Owner,
  keys: MarketKeys,
  agreements: readonly RelistAgreement[],
  answer: RelistPreflight,
): Plan {
  assertAnswer(preflightRelist, answer)
  const { items, steps } = answer
  assert(
    items.length === agreements.length && steps.length === agreements.length,
    'the market prepared a different number of listings',
  )
  const market = marketOf(owner, keys)
  return {
    steps: agreements.map((agreement, i) => {
      const { inscriptionId, priceSats, escrow, lastGeneration } = agreement
      const [item, step] = [items[i]!, steps[i]!]
      const { txid, vout, valueSats, escrowForm } = escrow
      assert(
        item.inscriptionId === inscriptionId &&
          item.txid === txid &&
          item.vout === vout &&
          item.escrowForm === escrowForm,
        'the market prepared a different inscription',
      )
      assertOffsetInside(escrow, inscriptionId)
      const { tx } = openStep(step)
      const payoutSats = tx.outputs[0]?.valueSats ?? 0
      const minPayoutSats = minNet(priceSats, agreement) + valueSats
      assert(
        payoutSats >= minPayoutSats && payoutSats <= priceSats + valueSats,
        `the settlement leg pays ${payoutSats} sats, less than the agreed minimum of ${minPayoutSats}`,
      )
      const { generation } = item
      assert(
        asCheckFailed(() => generationOf(tx.inputs[0]?.sequence ?? 0)) === generation,
        'the leg does not have the announced generation',
      )
      assertGeneration(inscriptionId, generation, lastGeneration)
      const terms = termsOf(owner, market, escrow)
      return planStep(owner, step, {
        name: `the sale of ${inscriptionId}`,
        layout: asCheckFailed(() =>
          buildSaleLeg({ ...terms, generation, payoutSats, payoutScript: owner.paymentScript }),
        ),
        indexes: [0],
        sighash: SIGHASH.SINGLE_ANYONECANPAY,
        stepIndex: i,
      })
    }),
  }
}

/** Verifies a reclaim: each escrow coin returns to the wallet in full, and the market pays the fee. Throws CheckFailed. */
export function verifyReclaim(
  owner: Owner,
  keys: MarketKeys,
  escrows: readonly OwnEscrow[],
  answer: ReclaimPreflight,
): Plan {
  assertAnswer(preflightReclaim, answer)
  const step = answer.steps[0]!
  const market = marketOf(owner, keys)
  const opened = openStep(step)
  const anchors = opened.tx.inputs
    .slice(escrows.length)
    .map((_, n) => marketCoinOf(opened, escrows.length + n, market))
  assert(anchors.length > 0, 'the market adds no coin for the fee')
  const layout = asCheckFailed(() =>
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
  assert(
    planned.txid === answer.expectedTxid && feeOfLayout(layout) === answer.feeSats,
    'the market misstates the transaction or its fee',
  )
  return { steps: [planned] }
}

/** Terms of a move into new escrow coins, which voids old prices at the owner's cost. */
export interface MoveAgreement {
  escrows: readonly OwnEscrow[]
  /** Form of the new coins; default: `escrowFormOf(owner)`. */
  escrowForm?: EscrowForm
  coins: readonly OwnCoin[]
  maxNetworkSats: number
}

/** Verifies a move. Returns the plan and its total cost. Throws CheckFailed. */
export function verifyMove(
  owner: Owner,
  keys: MarketKeys,
  agreement: MoveAgreement,
  answer: MovePreflight,
): CostPlan {
  assertAnswer(preflightMove, answer)
  const { escrows, escrowForm = escrowFormOf(owner), coins } = agreement
  const market = marketOf(owner, keys)
  const from = {
    payments: chosenOf(owner, coins, answer.selectedPaymentUtxos),
    payer: paymentSpendOf(owner),
    changeScript: owner.paymentScript,
  }
  const terms = escrows.map((escrow) => termsOf(owner, market, escrow))
  const { layout, feeSats } = asCheckFailed(() => buildPaidMove(terms, escrowForm, from, answer.feeRateSatVb))
  const planned = planStep(owner, answer.steps[0]!, {
    name: 'the move to new escrows',
    layout,
    indexes: [...positionsOf(layout.inputs, 'escrow'), ...positionsOf(layout.inputs, 'payment')],
    sighash: SIGHASH.ALL,
    stepIndex: 0,
  })
  assert(
    planned.txid === answer.expectedTxid && feeSats === answer.costSats,
    'the market misstates the transaction or its cost',
  )
  assertNetwork(agreement, feeSats)
  return { steps: [planned], costSats: feeSats }
}

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
  const script = asCheckFailed(() => buildPassthrough(seller, market.cosignKey, escrowForm).script)
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
