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
import { demandAnswer } from '../checks/demand-answer.ts'
import type { CounterPreflight, CounterPurchasePreflight } from '../results.ts'
import {
  demandCosts,
  demandDetail,
  demandInside,
  demandLanding,
  demandNamed,
  leastNet,
} from './answer-checks.ts'
import { demand, refusing } from './demand.ts'
import { escrowTermsOf, ownTransferTerms } from './escrow-facts.ts'
import { chosenOf, type Market, marketCoinOf, marketOf, openStep, sideScriptsOf } from './facts.ts'
import { demandGeneration, escrowFormOf } from './listing.ts'
import type { OfferAgreement, SaleAgreement } from './offer.ts'
import { type MarketKeys, type Owner, paymentSpendOf } from './owner.ts'
import { type CostPlan, type Plan, planStep } from './plan.ts'

/** Verifies the preflight of a counter by rebuilding its three transactions: transfer, settlement and recovery. Throws CheckFailed. */
export function verifyCounter(
  owner: Owner,
  keys: MarketKeys,
  agreement: SaleAgreement,
  answer: CounterPreflight,
  escrowForm: EscrowForm = escrowFormOf(owner),
): Plan {
  demandAnswer(preflightCounterOffer, answer)
  const { coin, inscriptionId, priceSats } = agreement
  const [transferStep, saleStep, recoveryStep, ...more] = answer.steps
  demand(
    transferStep !== undefined && saleStep !== undefined && recoveryStep !== undefined && more.length === 0,
    'a counter has three signing steps',
  )
  demandInside(coin, inscriptionId)
  demandNamed(answer.carries, [agreement])
  demandDetail(answer, { inscriptionId, priceSats, valueSats: coin.valueSats })
  const minNetSats = leastNet(priceSats, agreement)
  demand(
    answer.sellerReceiveSats >= minNetSats,
    `the settlement pays you ${answer.sellerReceiveSats} sats, and the agreed minimum is ${minNetSats}`,
  )
  const opened = {
    transfer: openStep(transferStep),
    sale: openStep(saleStep),
    recovery: openStep(recoveryStep),
  }
  const terms = counterTermsOf(owner, marketOf(owner, keys), { agreement, answer, escrowForm }, opened)
  const template = refusing(() => buildCounterSettlement(terms, null))
  const steps = [
    planStep(owner, transferStep, {
      name: `the transfer of ${inscriptionId} into escrow`,
      layout: refusing(() => buildTransfer(terms)),
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
      layout: refusing(() => buildRecovery([terms])),
      indexes: [0],
      sighash: SIGHASH.ALL,
      stepIndex: 2,
    }),
  ]
  demand(
    steps[0]!.txid === answer.expectedTransferTxid && steps[1]!.txid === answer.expectedSettlementTxid,
    'the transactions are not the announced ones',
  )
  demand(
    feeOf(signedVsizeOf(template) + TRANSFER_VSIZE, answer.targetFeeRateSatVb) ===
      answer.estimatedNetworkFeeSats,
    'the market misstates the network fee',
  )
  return { steps }
}

/**
 * Builds the terms of a counter from the agreement, and from the PSBTs for the market's coins and the other parties' scripts. Throws
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
  demand(
    [anchor, recoveryCoin].every((marketCoin) => marketCoin.valueSats === ANCHOR_SATS) &&
      (anchor.txid !== recoveryCoin.txid || anchor.vout !== recoveryCoin.vout),
    "the market's coins of this counter are not anchors",
  )
  const [inscription] = sale.tx.outputs
  demand(inscription !== undefined, 'the settlement has no outputs')
  // The market's output always exists, because it contains the anchor.
  const { royalty } = sideScriptsOf(sale.tx.outputs, { ...answer, marketplaceRevenueSats: ANCHOR_SATS })
  return {
    ...ownTransferTerms(owner, market, { coin, anchor, escrowForm, transfer }),
    generation: demandGeneration(agreement.inscriptionId, answer.generation ?? 0),
    recoveryCoin,
    payoutSats: answer.sellerReceiveSats + coin.valueSats,
    payoutScript: owner.paymentScript,
    marketplaceRevenueSats: answer.marketplaceRevenueSats,
    marketScript: market.script,
    royalty,
    buyerScript: inscription.script,
  }
}

/** Terms of a buyer who accepts a counter. */
export type CounterAgreement = Omit<OfferAgreement, 'items'> & OfferAgreement['items'][number]

/**
 * Verifies the preflight of a counter's acceptance by rebuilding funding and settlement. Returns the plan and the amount that leaves the
 * buyer's coins. Throws CheckFailed.
 */
export function verifyCounterAcceptance(
  owner: Owner,
  keys: MarketKeys,
  agreement: CounterAgreement,
  answer: CounterPurchasePreflight,
): CostPlan {
  demandAnswer(preflightCounterOfferAcceptance, answer)
  const [fundStep, settleStep, ...more] = answer.steps
  demand(
    fundStep !== undefined && settleStep !== undefined && more.length === 0,
    'an acceptance of a counter has two signing steps',
  )
  const { inscriptionId, coin, priceSats } = agreement
  demandInside(coin, inscriptionId)
  const market = marketOf(owner, keys)
  const opened = openStep(settleStep)
  const payments = chosenOf(owner, agreement.coins, answer.selectedPaymentUtxos)
  const [, payout, service, creator] = opened.tx.outputs
  demand(
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
  const built = refusing(() => buildCounterAcceptance(terms, from, answer.targetFeeRateSatVb))
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
  demandLanding(owner, opened, settlement, positionsOf(settlement.inputs, 'escrow'))
  demand(
    steps[0]!.txid === answer.expectedFundingTxid &&
      steps[1]!.txid === answer.expectedSettlementTxid &&
      built.packageFeeSats === answer.estimatedNetworkFeeSats,
    'the market misstates the transactions or their fee',
  )
  const paidSats = sumSats(settlement.outputs.slice(1).map((output) => output.valueSats))
  demand(paidSats >= priceSats, `the settlement pays ${paidSats} sats, less than the agreed ${priceSats}`)
  const networkSats = built.packageFeeSats
  const feesSats = built.totalCostSats - priceSats - coin.valueSats - networkSats
  demandCosts(agreement, [priceSats], { feesSats, networkSats })
  return { steps, costSats: built.totalCostSats }
}
