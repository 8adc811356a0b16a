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
import { demandAnswer } from '../checks/demand-answer.ts'
import type { BidPreflight, FillPreflight } from '../results.ts'
import { demandCosts, demandInside, demandNamed } from './answer-checks.ts'
import { demand, refusing } from './demand.ts'
import { chosenOf, marketOf, networkOf, openStep, sideScriptsOf } from './facts.ts'
import { demandLeast, type SaleAgreement } from './offer.ts'
import { type MarketKeys, type OwnCoin, type Owner, paymentSpendOf } from './owner.ts'
import { type Plan, planStep, type SalePlan } from './plan.ts'
import { sellersView } from './sellers-view.ts'

/** Terms of a maker: offers for any inscription of a target, each at its price. */
export interface BidAgreement {
  target: OfferTarget
  priceSats: number
  offerCount?: number
  ladderStepSats?: number
  coins: readonly OwnCoin[]
  /** Inscriptions that the maker considers eligible. If set, the market's set must be equal. */
  eligibleIds?: readonly string[]
}

/**
 * Verifies the preflight of collection or trait offers: the criteria, and each funding parent by rebuilding it with the market's keys.
 * Throws CheckFailed.
 */
export function verifyBids(
  owner: Owner,
  keys: MarketKeys,
  slug: string,
  agreement: BidAgreement,
  answer: BidPreflight,
): Plan {
  demandAnswer(preflightCollectionWideOffer, answer)
  const { target, priceSats, offerCount = 1, ladderStepSats = 0, coins, eligibleIds } = agreement
  const text = criteriaText(slug.toLowerCase(), target)
  demand(answer.criteriaCanonicalJson === text, 'the market recorded different criteria')
  demand(answer.offerCriteriaHash === criteriaHash(text), 'the hash does not match the criteria')
  demand(
    answer.buyerReceiveScriptHex === bytesToHex(owner.ordinalsScript),
    'the inscription would not go to your address',
  )
  if (eligibleIds)
    demand(
      answer.eligibleRoot === eligibleRoot(eligibleIds) && answer.eligibleCount === new Set(eligibleIds).size,
      "the market's eligible set differs from yours",
    )
  demand(answer.offers.length === offerCount, 'the market prepared a different number of offers')
  const market = marketOf(owner, keys)
  const steps = answer.offers.map((offer, k) => {
    const offerPriceSats = priceSats - k * ladderStepSats
    demand(offer.priceSats === offerPriceSats, `offer ${k} has a different price`)
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
    const layout = refusing(() => buildFundingParent(terms))
    const planned = planStep(owner, offer.fundingParentStep, {
      name: `the funding of offer ${k}`,
      layout,
      indexes: positionsOf(layout.inputs, 'payment'),
      stepIndex: 0,
    })
    const { script } = bidOutputOf(terms)
    demand(
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
 * Verifies the preflight of a fill: the settlement spends only the seller's coin and pays the seller the offer's net. Returns the seller's
 * proceeds. Throws CheckFailed.
 */
export function verifyFillPreflight(
  owner: Owner,
  keys: MarketKeys,
  agreement: SaleAgreement,
  answer: FillPreflight,
): SalePlan {
  demandAnswer(preflightCollectionOfferFill, answer)
  const { priceSats, coin, inscriptionId } = agreement
  demand(answer.inscriptionId === inscriptionId, 'the market prepared a different inscription')
  demandInside(coin, inscriptionId)
  demandNamed(answer.carries, [agreement])
  const { sellerReceiveSats, marketplaceFeeSats, creatorRoyaltySats, estimatedNetworkFeeSats } = answer
  demand(
    answer.inscriptionUtxoValueSats === coin.valueSats &&
      sellerReceiveSats + marketplaceFeeSats + creatorRoyaltySats === priceSats,
    `the market misstates the coin of ${inscriptionId} or the split of its price of ${priceSats} sats`,
  )
  const payoutSats = sellerReceiveSats - estimatedNetworkFeeSats
  demandCosts(agreement, [priceSats], {
    feesSats: marketplaceFeeSats + creatorRoyaltySats,
    networkSats: estimatedNetworkFeeSats,
  })
  demandLeast(agreement, payoutSats)
  const market = marketOf(owner, keys)
  const opened = openStep(answer.sellerStep)
  demand(opened.tx.inputs.length === 2, 'a fill must spend only the inscription and the offer')
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
  demand(planned.txid === answer.expectedSettlementTxid, 'the settlement is not the announced transaction')
  return { steps: [planned], payoutSats }
}
