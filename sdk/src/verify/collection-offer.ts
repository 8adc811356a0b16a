import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  bidOutputOf,
  buildFundingParent,
  type CollectionOfferTerms,
} from '@ordbook/bitcoin/trade/collection-offer.ts'
import {
  criteriaHash,
  criteriaText,
  eligibleRoot,
  type OfferTarget,
} from '@ordbook/bitcoin/trade/criteria.ts'
import { positionsOf } from '@ordbook/bitcoin/trade/layout.ts'
import { sideOutputs } from '@ordbook/bitcoin/trade/offer.ts'
import { preflightCollectionOfferFill, preflightCollectionWideOffer } from '../checks/answers.ts'
import { assertAnswer } from '../checks/assert-answer.ts'
import type { BidPreflight, FillPreflight } from '../results.ts'
import { assertCosts, assertNamed, assertOffsetInside } from './answer-checks.ts'
import { asCheckFailed, assert } from './assert.ts'
import { chosenOf, marketOf, networkOf, openStep, sideScriptsOf } from './facts.ts'
import { assertMinimum, type SaleAgreement } from './offer.ts'
import { type MarketKeys, type OwnCoin, type Owner, paymentSpendOf } from './owner.ts'
import { type Plan, planStep, type SalePlan } from './plan.ts'
import { sellersView } from './sellers-view.ts'

export interface BidAgreement {
  target: OfferTarget
  priceSats: number
  offerCount?: number
  ladderStepSats?: number
  coins: readonly OwnCoin[]
  /** Inscriptions that the maker considers eligible. If set, the market's set must be equal. */
  eligibleIds?: readonly string[]
}

/** Verifies the preflight of collection or trait offers: the criteria, and each funding parent. Throws CheckFailed. */
export function verifyBids(
  owner: Owner,
  keys: MarketKeys,
  slug: string,
  agreement: BidAgreement,
  answer: BidPreflight,
): Plan {
  assertAnswer(preflightCollectionWideOffer, answer)
  const { target, priceSats, offerCount = 1, ladderStepSats = 0, coins, eligibleIds } = agreement
  const text = criteriaText(slug.toLowerCase(), target)
  assert(answer.criteriaCanonicalJson === text, 'the market recorded different criteria')
  assert(answer.offerCriteriaHash === criteriaHash(text), 'the hash does not match the criteria')
  assert(
    answer.buyerReceiveScriptHex === bytesToHex(owner.ordinalsScript),
    'the inscription would not go to your address',
  )
  if (eligibleIds)
    assert(
      answer.eligibleRoot === eligibleRoot(eligibleIds) && answer.eligibleCount === new Set(eligibleIds).size,
      "the market's eligible set differs from yours",
    )
  assert(answer.offers.length === offerCount, 'the market prepared a different number of offers')
  const market = marketOf(owner, keys)
  const steps = answer.offers.map((offer, k) => {
    const offerPriceSats = priceSats - k * ladderStepSats
    assert(offer.priceSats === offerPriceSats, `offer ${k} has a different price`)
    const terms: CollectionOfferTerms = {
      payments: chosenOf(owner, coins, offer.selectedPaymentUtxos),
      payer: paymentSpendOf(owner),
      changeScript: owner.paymentScript,
      makerScript: owner.ordinalsScript,
      guardianKey: market.guardianKey,
      marketKey: market.cosignKey,
      secretHash: hexToBytes(offer.offerAuthSecretHash),
      priceSats: offerPriceSats,
    }
    const layout = asCheckFailed(() => buildFundingParent(terms))
    const planned = planStep(owner, offer.fundingParentStep, {
      name: `the funding of offer ${k}`,
      layout,
      indexes: positionsOf(layout.inputs, 'payment'),
      stepIndex: 0,
    })
    const { script } = bidOutputOf(terms)
    assert(
      planned.txid === offer.expectedFundingParentTxid &&
        offer.fundingParentVout === 0 &&
        offer.offerScriptHex === bytesToHex(script) &&
        offer.offerAddress === addressOfScript(script, networkOf(owner.ordinalsAddress)),
      'the market misstates the output of the offer',
    )
    return planned
  })
  return { steps }
}

/**
 * Verifies the preflight of a fill: the settlement spends only the seller's coin and pays the seller. Returns the plan and the seller's
 * proceeds. Throws CheckFailed.
 */
export function verifyFillPreflight(
  owner: Owner,
  keys: MarketKeys,
  agreement: SaleAgreement,
  answer: FillPreflight,
): SalePlan {
  assertAnswer(preflightCollectionOfferFill, answer)
  const { priceSats, coin, inscriptionId } = agreement
  assert(answer.inscriptionId === inscriptionId, 'the market prepared a different inscription')
  assertOffsetInside(coin, inscriptionId)
  assertNamed(answer.carries, [agreement])
  const { sellerReceiveSats, marketplaceFeeSats, creatorRoyaltySats, estimatedNetworkFeeSats } = answer
  assert(
    answer.inscriptionUtxoValueSats === coin.valueSats &&
      sellerReceiveSats + marketplaceFeeSats + creatorRoyaltySats === priceSats,
    `the market misstates the coin of ${inscriptionId} or the split of its price of ${priceSats} sats`,
  )
  const payoutSats = sellerReceiveSats - estimatedNetworkFeeSats
  assertCosts(agreement, [priceSats], {
    feesSats: marketplaceFeeSats + creatorRoyaltySats,
    networkSats: estimatedNetworkFeeSats,
  })
  assertMinimum(agreement, payoutSats)
  const market = marketOf(owner, keys)
  const opened = openStep(answer.sellerStep)
  assert(opened.tx.inputs.length === 2, 'a fill must spend only the inscription and the offer')
  const seen = sellersView(owner, coin, opened, 3)
  const { royalty } = sideScriptsOf(opened.tx.outputs, {
    marketplaceRevenueSats: marketplaceFeeSats,
    creatorRevenueSats: creatorRoyaltySats,
  })
  const sides = sideOutputs(
    { payoutSats, payoutScript: owner.paymentScript, marketScript: market.script, royalty },
    marketplaceFeeSats,
  )
  const planned = planStep(owner, answer.sellerStep, {
    name: `the sale of ${inscriptionId}`,
    layout: { ...seen, outputs: [seen.outputs[0]!, ...sides] },
    indexes: [0],
    sighash: SIGHASH.DEFAULT,
    stepIndex: 0,
  })
  assert(planned.txid === answer.expectedSettlementTxid, 'the settlement is not the announced transaction')
  return { steps: [planned], payoutSats }
}
