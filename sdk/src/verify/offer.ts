import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { feeOfLayout, positionsOf, signedVsizeOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildOffer, buildPayoutLift } from '@ordbook/bitcoin/trade/offer.ts'
import { preflightCollectionOffer, preflightOfferAcceptance } from '../checks/answers.ts'
import { assertAnswer } from '../checks/assert-answer.ts'
import type { OfferPreflight, SalePreflight } from '../results.ts'
import {
  assertCosts,
  assertDestination,
  assertNamed,
  assertNetwork,
  assertOffsetInside,
  type CostLimits,
  demandDetail,
  type Goes,
  minNet,
} from './answer-checks.ts'
import { asCheckFailed, assert } from './assert.ts'
import { chosenOf, coinOf, marketOf, openStep, sideScriptsOf } from './facts.ts'
import { type InscriptionCoin, type MarketKeys, type OwnCoin, type Owner, paymentSpendOf } from './owner.ts'
import { type OfferPlan, planStep, type SalePlan } from './plan.ts'
import { ownSpendOf, sellersView } from './sellers-view.ts'

/** Terms of a buyer who offers on named inscriptions. */
export interface OfferAgreement extends CostLimits {
  items: readonly {
    inscriptionId: string
    /** The inscription's coin, from a trusted source. */
    coin: InscriptionCoin
  }[]
  priceSats: number
  coins: readonly OwnCoin[]
}

/** Verifies an offer preflight: one settlement per item. Returns the plan and the cost per item. Throws CheckFailed. */
export function verifyOffers(
  owner: Owner,
  keys: MarketKeys,
  agreement: OfferAgreement,
  answer: OfferPreflight,
): OfferPlan {
  assertAnswer(preflightCollectionOffer, answer)
  assert(answer.items.length === agreement.items.length, 'the market prepared a different number of offers')
  const market = marketOf(owner, keys)
  const payments = chosenOf(owner, agreement.coins, answer.selectedPaymentUtxos)
  const verified = agreement.items.map(({ inscriptionId, coin }, i) => {
    const item = answer.items[i]!
    assert(item.inscriptionId === inscriptionId, 'the market prepared a different inscription')
    const [step] = item.steps
    assert(step !== undefined && item.steps.length === 1, 'an offer has one signing step')
    assertOffsetInside(coin, inscriptionId)
    const opened = openStep(step)
    const inscriptionCoin = coinOf(opened, 0)
    assert(
      formatOutpoint(inscriptionCoin) === formatOutpoint(coin) &&
        inscriptionCoin.valueSats === coin.valueSats,
      `the transaction does not spend the coin of ${inscriptionId}`,
    )
    demandDetail(item, { inscriptionId, priceSats: agreement.priceSats, valueSats: coin.valueSats })
    const { payoutScript, royalty } = sideScriptsOf(opened.tx.outputs, item)
    const built = asCheckFailed(() =>
      buildOffer({
        inscriptionCoin,
        seller: keySpendOf(inscriptionCoin.script, inscriptionCoin.script.slice(2)),
        payoutSats: item.sellerReceiveSats + coin.valueSats,
        payoutScript,
        marketplaceRevenueSats: item.marketplaceRevenueSats,
        marketScript: market.script,
        royalty,
        payments,
        payer: paymentSpendOf(owner),
        buyerScript: owner.ordinalsScript,
        changeScript: owner.paymentScript,
        feeRateSatVb: item.targetFeeRateSatVb,
      }),
    )
    const planned = planStep(owner, step, {
      name: `the offer on ${inscriptionId}`,
      layout: built.settlement,
      indexes: positionsOf(built.settlement.inputs, 'payment'),
      stepIndex: 0,
    })
    assertDestination(owner, opened, built.settlement, [0])
    assert(
      built.feeSats === item.estimatedNetworkFeeSats && planned.txid === item.expectedSettlementTxid,
      'the market misstates the fee or the id of the transaction',
    )
    const feesSats = built.totalCostSats - agreement.priceSats - coin.valueSats - built.feeSats
    assertCosts(agreement, [agreement.priceSats], { feesSats, networkSats: built.feeSats })
    return { planned, costSats: built.totalCostSats }
  })
  return {
    steps: verified.map(({ planned }) => planned),
    costsSats: verified.map(({ costSats }) => costSats),
  }
}

/** Terms of a seller who accepts an offer. */
export interface SaleAgreement extends CostLimits, Goes {
  priceSats: number
  /** The inscription's coin, from a trusted source. */
  coin: InscriptionCoin
  /** Minimum payout after all fees, without postage. */
  leastSats?: number
}

export const assertMinimum = ({ leastSats = 0 }: Pick<SaleAgreement, 'leastSats'>, netSats: number) =>
  assert(
    netSats >= leastSats,
    `the sale pays you ${netSats} sats after fees, less than the agreed minimum of ${leastSats}`,
  )

/**
 * Verifies the preflight of an acceptance: the settlement spends only the seller's coin, first and in full, and pays the seller. The
 * buyer's coins and change are not checked. Returns the plan and the seller's proceeds. Throws CheckFailed.
 */
export function verifyAcceptance(owner: Owner, agreement: SaleAgreement, answer: SalePreflight): SalePlan {
  assertAnswer(preflightOfferAcceptance, answer)
  const [settle, lift, ...more] = answer.steps
  assert(settle !== undefined && more.length === 0, 'an acceptance has one or two signing steps')
  const { coin, priceSats, inscriptionId } = agreement
  assertOffsetInside(coin, inscriptionId)
  assertNamed(answer.carries, [agreement])
  const opened = openStep(settle)
  const layout = sellersView(owner, coin, opened, 2)
  const settlement = planStep(owner, settle, {
    name: `the sale of ${inscriptionId}`,
    layout,
    indexes: [0],
    sighash: SIGHASH.DEFAULT,
    stepIndex: 0,
  })
  assert(settlement.txid === answer.expectedSettlementTxid, 'the settlement is not the announced transaction')
  const minPayoutSats = minNet(priceSats, agreement) + coin.valueSats
  const payout = layout.outputs[1]!
  assert(
    payout.valueSats >= minPayoutSats && payout.valueSats <= priceSats + coin.valueSats,
    `the settlement pays you ${payout.valueSats} sats, less than the agreed minimum of ${minPayoutSats}`,
  )
  const feeSats = feeOfLayout(layout)
  const raised = asCheckFailed(() =>
    buildPayoutLift(
      { txid: settlement.txid, layout, vsize: signedVsizeOf(layout), feeSats },
      ownSpendOf(owner, payout.script),
      {
        feeRateSatVb: answer.targetFeeRateSatVb,
        leastSats: 0,
      },
    ),
  )
  assert(
    (raised === null) === (lift === undefined),
    'the fee rate requires a different number of transactions',
  )
  assertMinimum(agreement, payout.valueSats - coin.valueSats - (raised?.feeSats ?? 0))
  if (!raised || !lift) {
    assert(answer.expectedPayoutTxid === null, 'the announced payout is missing')
    return { steps: [settlement], payoutSats: payout.valueSats }
  }
  const planned = planStep(owner, lift, {
    name: 'the payout at a higher fee rate',
    layout: raised.layout,
    indexes: [0],
    stepIndex: 1,
  })
  assert(
    planned.txid === answer.expectedPayoutTxid && raised.feeSats === answer.estimatedNetworkFeeSats,
    'the market misstates the payout or its fee',
  )
  assertNetwork(agreement, raised.feeSats)
  return { steps: [settlement, planned], payoutSats: payout.valueSats - raised.feeSats }
}
