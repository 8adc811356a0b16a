import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import { feeOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  buildCounterAcceptance,
  buildCounterSettlement,
  type CounterTerms,
} from '@ordbook/bitcoin/trade/counter.ts'
import { positionsOf, signedVsizeOf } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, buildRecovery, buildTransfer, TRANSFER_VSIZE } from '@ordbook/bitcoin/trade/listing.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { preflightCounterOffer, preflightCounterOfferAcceptance } from '../checks/answers.ts'
import { assertAnswer } from '../checks/assert-answer.ts'
import type { CounterPreflight, CounterPurchasePreflight } from '../results.ts'
import {
  assertCosts,
  assertDestination,
  assertNamed,
  assertOffsetInside,
  demandDetail,
  minNet,
} from './answer-checks.ts'
import { asCheckFailed, assert } from './assert.ts'
import { escrowTermsOf, ownTransferTerms } from './escrow-facts.ts'
import { chosenOf, type Market, marketCoinOf, marketOf, openStep, sideScriptsOf } from './facts.ts'
import { assertGeneration, escrowFormOf } from './listing.ts'
import type { OfferAgreement, SaleAgreement } from './offer.ts'
import { type MarketKeys, type Owner, paymentSpendOf } from './owner.ts'
import { type CostPlan, type Plan, planStep } from './plan.ts'

/** Verifies the preflight of a counter: transfer, settlement and recovery. Throws CheckFailed. */
export function verifyCounter(
  owner: Owner,
  keys: MarketKeys,
  agreement: SaleAgreement,
  answer: CounterPreflight,
  escrowForm: EscrowForm = escrowFormOf(owner),
): Plan {
  assertAnswer(preflightCounterOffer, answer)
  const { coin, inscriptionId, priceSats } = agreement
  const [transferStep, saleStep, recoveryStep, ...more] = answer.steps
  assert(
    transferStep !== undefined && saleStep !== undefined && recoveryStep !== undefined && more.length === 0,
    'a counter has three signing steps',
  )
  assertOffsetInside(coin, inscriptionId)
  assertNamed(answer.carries, [agreement])
  demandDetail(answer, { inscriptionId, priceSats, valueSats: coin.valueSats })
  const minNetSats = minNet(priceSats, agreement)
  assert(
    answer.sellerReceiveSats >= minNetSats,
    `the settlement pays you ${answer.sellerReceiveSats} sats, less than the agreed minimum of ${minNetSats}`,
  )
  const opened = {
    transfer: openStep(transferStep),
    sale: openStep(saleStep),
    recovery: openStep(recoveryStep),
  }
  const terms = counterTermsOf(owner, marketOf(owner, keys), { agreement, answer, escrowForm }, opened)
  const template = asCheckFailed(() => buildCounterSettlement(terms, null))
  const steps = [
    planStep(owner, transferStep, {
      name: `the transfer of ${inscriptionId} into escrow`,
      layout: asCheckFailed(() => buildTransfer(terms)),
      indexes: [0],
      sighash: SIGHASH.DEFAULT,
      stepIndex: 0,
    }),
    planStep(owner, saleStep, {
      name: `the sale of ${inscriptionId}`,
      layout: template,
      indexes: [0],
      sighash: SIGHASH.ALL_ANYONECANPAY,
      stepIndex: 1,
    }),
    planStep(owner, recoveryStep, {
      name: 'the recovery',
      layout: asCheckFailed(() => buildRecovery([terms])),
      indexes: [0],
      sighash: SIGHASH.ALL,
      stepIndex: 2,
    }),
  ]
  assert(
    steps[0]!.txid === answer.expectedTransferTxid && steps[1]!.txid === answer.expectedSettlementTxid,
    'the transactions are not the announced ones',
  )
  assert(
    feeOf(signedVsizeOf(template) + TRANSFER_VSIZE, answer.targetFeeRateSatVb) ===
      answer.estimatedNetworkFeeSats,
    'the market misstates the network fee',
  )
  return { steps }
}

/**
 * Builds the terms of a counter from the agreement. The market's coins and the other parties' scripts come from the PSBTs. Throws
 * CheckFailed.
 */
function counterTermsOf(
  owner: Owner,
  market: Market,
  {
    agreement,
    answer,
    escrowForm,
  }: {
    agreement: SaleAgreement
    answer: CounterPreflight
    escrowForm: EscrowForm
  },
  { transfer, sale, recovery }: Record<'transfer' | 'sale' | 'recovery', PreparedPsbt>,
): CounterTerms {
  const { coin } = agreement
  const anchor = marketCoinOf(transfer, 1, market)
  const recoveryCoin = marketCoinOf(recovery, 1, market)
  assert(
    [anchor, recoveryCoin].every((marketCoin) => marketCoin.valueSats === ANCHOR_SATS) &&
      (anchor.txid !== recoveryCoin.txid || anchor.vout !== recoveryCoin.vout),
    "the market's coins of this counter are not anchors",
  )
  const [inscription] = sale.tx.outputs
  assert(inscription !== undefined, 'the settlement has no outputs')
  // The market's output always exists, because it contains the anchor.
  const { royalty } = sideScriptsOf(sale.tx.outputs, { ...answer, marketplaceRevenueSats: ANCHOR_SATS })
  return {
    ...ownTransferTerms(owner, market, { coin, anchor, escrowForm, transfer }),
    generation: assertGeneration(agreement.inscriptionId, answer.generation ?? 0),
    recoveryCoin,
    payoutSats: answer.sellerReceiveSats + coin.valueSats,
    payoutScript: owner.paymentScript,
    marketplaceRevenueSats: answer.marketplaceRevenueSats,
    marketScript: market.script,
    royalty,
    buyerScript: inscription.script,
  }
}

export type CounterAgreement = Omit<OfferAgreement, 'items'> & OfferAgreement['items'][number]

/** Verifies the preflight of a counter's acceptance: funding and settlement. Returns the plan and the total cost. Throws CheckFailed. */
export function verifyCounterAcceptance(
  owner: Owner,
  keys: MarketKeys,
  agreement: CounterAgreement,
  answer: CounterPurchasePreflight,
): CostPlan {
  assertAnswer(preflightCounterOfferAcceptance, answer)
  const [fundStep, settleStep, ...more] = answer.steps
  assert(
    fundStep !== undefined && settleStep !== undefined && more.length === 0,
    'an acceptance of a counter has two signing steps',
  )
  const { inscriptionId, coin, priceSats } = agreement
  assertOffsetInside(coin, inscriptionId)
  const market = marketOf(owner, keys)
  const opened = openStep(settleStep)
  const payments = chosenOf(owner, agreement.coins, answer.selectedPaymentUtxos)
  const [, payout, service, creator] = opened.tx.outputs
  assert(
    payout !== undefined && service !== undefined && equalBytes(service.script, market.script),
    'the settlement does not pay seller and market',
  )
  const terms: CounterTerms = {
    ...escrowTermsOf(opened, 0, { inscriptionId, coin }, market, 'settlement'),
    recoveryCoin: { ...coin, script: market.script },
    payoutSats: payout.valueSats,
    payoutScript: payout.script,
    marketplaceRevenueSats: service.valueSats - ANCHOR_SATS,
    marketScript: market.script,
    royalty: creator ?? null,
    buyerScript: owner.ordinalsScript,
  }
  const from = { payments, payer: paymentSpendOf(owner), changeScript: owner.paymentScript }
  const built = asCheckFailed(() => buildCounterAcceptance(terms, from, answer.targetFeeRateSatVb))
  const { funding, settlement } = built
  const steps = [
    planStep(owner, fundStep, {
      name: 'the funding',
      layout: funding.layout,
      indexes: positionsOf(funding.layout.inputs, 'payment'),
      stepIndex: 0,
    }),
    planStep(owner, settleStep, {
      name: `the purchase of ${inscriptionId}`,
      layout: settlement,
      indexes: positionsOf(settlement.inputs, 'funding'),
      stepIndex: 1,
    }),
  ]
  assertDestination(owner, opened, settlement, positionsOf(settlement.inputs, 'escrow'))
  assert(
    steps[0]!.txid === answer.expectedFundingTxid &&
      steps[1]!.txid === answer.expectedSettlementTxid &&
      built.packageFeeSats === answer.estimatedNetworkFeeSats,
    'the market misstates the transactions or their fee',
  )
  const paidSats = sumSats(settlement.outputs.slice(1).map((output) => output.valueSats))
  assert(paidSats >= priceSats, `the settlement pays ${paidSats} sats, less than the agreed ${priceSats}`)
  const networkSats = built.packageFeeSats
  const feesSats = built.totalCostSats - priceSats - coin.valueSats - networkSats
  assertCosts(agreement, [priceSats], { feesSats, networkSats })
  return { steps, costSats: built.totalCostSats }
}
