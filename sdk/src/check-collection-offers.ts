import { bytesToHex, equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { buildBidOutput } from '@ordbook/bitcoin/trade/bid-output.ts'
import {
  criteriaHash,
  criteriaText,
  eligibleRoot,
  type OfferTarget,
} from '@ordbook/bitcoin/trade/criteria.ts'
import { MINIMUM_CHANGE_SATS } from '@ordbook/bitcoin/trade/payment.ts'
import type { SaleAgreement } from './check-offers.ts'
import {
  demand,
  demandSighash,
  type KnownCoin,
  onlyInscription,
  open,
  paidTo,
  payingInputs,
} from './opened.ts'
import type { Answer } from './operations.ts'
import type { Wallet } from './wallet.ts'

/** What a maker agreed to: any inscription of a target, each offer at its price. */
export interface BidAgreement {
  target: OfferTarget
  priceSats: number
  offerCount?: number
  ladderStepSats?: number
  /** The coins that may be spent. */
  coins: readonly KnownCoin[]
  /** The inscriptions that the maker takes to be eligible; where given, the market must have the same. */
  eligibleIds?: readonly string[]
}

/** Checks the preflight of collection-wide or trait offers, each against the market's keys. Throws CheckFailed. */
export function checkBids(
  wallet: Wallet,
  slug: string,
  agreement: BidAgreement,
  answer: Answer<'preflightCollectionWideOffer'>,
  keys: { cosignKey: string; guardianKey: string },
): void {
  const { target, priceSats, offerCount = 1, ladderStepSats = 0, coins, eligibleIds } = agreement
  const text = criteriaText(slug.toLowerCase(), target)
  demand(answer.criteriaCanonicalJson === text, 'the market wrote down other criteria')
  demand(answer.offerCriteriaHash === criteriaHash(text), 'the hash is not that of the criteria')
  demand(
    answer.buyerReceiveScriptHex === bytesToHex(wallet.ordinalsScript),
    'the inscription would go somewhere else',
  )
  if (eligibleIds)
    demand(
      answer.eligibleRoot === eligibleRoot(eligibleIds),
      'the market has other inscriptions for eligible',
    )
  demand(answer.offers.length === offerCount, 'the market prepared another number of offers')
  for (const [k, offer] of answer.offers.entries()) {
    demand(offer.priceSats === priceSats - k * ladderStepSats, `offer ${k} has another price`)
    const opened = open(offer.fundingParentStep.psbtBase64)
    const { tx, spent } = opened
    const paying = payingInputs(wallet, offer.fundingParentStep, opened, coins)
    demand(paying.length === tx.inputs.length, 'the funding parent spends somebody else’s coins')
    const bid = buildBidOutput(wallet.ordinalsScript, {
      guardianKey: hexToBytes(keys.guardianKey),
      marketKey: hexToBytes(keys.cosignKey),
      secretHash: hexToBytes(offer.offerAuthSecretHash),
    })
    const [funded, change, ...more] = tx.outputs
    demand(
      funded !== undefined &&
        more.length === 0 &&
        equalBytes(funded.script, bid.script) &&
        offer.fundingParentVout === 0,
      'the sats would not be where only you, or guardian and market together, can take them',
    )
    demand(
      change === undefined
        ? funded.valueSats - offer.priceSats < MINIMUM_CHANGE_SATS
        : funded.valueSats === offer.priceSats && equalBytes(change.script, wallet.paymentScript),
      'the offer takes more than its price',
    )
    demand(
      sumSats(spent.map((each) => each.valueSats)) === sumSats(tx.outputs.map((each) => each.valueSats)),
      'the funding parent pays a fee: it could be sent alone',
    )
    demand(tx.version === 3, 'the funding parent is not of version 3: it could be sent alone')
  }
}

/** Checks the preflight of a fill. Gives what the seller is paid, in sats. Throws CheckFailed. */
export function checkFill(
  wallet: Wallet,
  agreement: SaleAgreement,
  answer: Answer<'preflightCollectionOfferFill'>,
): number {
  const { priceSats, coin, maxFeeBps, maxNetworkSats } = agreement
  const opened = open(answer.sellerStep.psbtBase64)
  const index = onlyInscription(wallet, answer.sellerStep, opened, coin)
  demandSighash(answer.sellerStep, index, 0)
  const payoutSats = paidTo(wallet, opened.tx.outputs)
  const leastSats = priceSats - Math.floor((priceSats * maxFeeBps) / 10_000) - maxNetworkSats
  demand(
    payoutSats >= leastSats,
    `the settlement pays you ${payoutSats} sats, agreed were at least ${leastSats}`,
  )
  return payoutSats
}
