import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import {
  ANCHOR_SATS,
  buildRecovery,
  buildSaleLeg,
  buildTransfer,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { preflightListing } from '../checks/answers.ts'
import { assertAnswer } from '../checks/assert-answer.ts'
import type { Answer } from '../operations.ts'
import type { ListingPreflight } from '../results.ts'
import { assertNamed, assertOffsetInside, type FeeLimits, type Goes, minNet } from './answer-checks.ts'
import { asCheckFailed, assert } from './assert.ts'
import { ownTransferTerms } from './escrow-facts.ts'
import { type Market, marketCoinOf, marketOf, openStep } from './facts.ts'
import { type InscriptionCoin, type MarketKeys, type Owner, ordinalsSpendOf } from './owner.ts'
import { type Plan, planStep } from './plan.ts'

export interface ListingAgreement extends FeeLimits, Goes {
  priceSats: number
  /** The inscription's coin, from a trusted source. */
  coin: InscriptionCoin
}

/** Maximum step between generations. A large step would use up the generations of a coin, which then cannot be repriced. */
const MAX_STEP = 10_000

/** Returns a generation that is later than the last signed one by at most `MAX_STEP`. Throws CheckFailed. */
export function assertGeneration(inscriptionId: string, generation: number, lastGeneration = -1): number {
  assert(
    generation > lastGeneration,
    `the generation of the leg of ${inscriptionId} is not later than the last signed one`,
  )
  assert(
    generation - lastGeneration <= MAX_STEP,
    `the leg of ${inscriptionId} would skip ${generation - lastGeneration} generations`,
  )
  return generation
}

/** Returns the default escrow form of a wallet. The wallet form allows an exit with ordinary wallets, but requires the untweaked key. */
export const escrowFormOf = (owner: Owner): EscrowForm =>
  ordinalsSpendOf(owner).internalKey ? 'wallet' : 'published'

/**
 * Verifies a listing preflight: a transfer and a leg per agreement, and one recovery for all. Returns the plan in the order of the
 * response, the recovery last. Throws CheckFailed.
 */
export function verifyListing(
  owner: Owner,
  keys: MarketKeys,
  agreements: readonly ListingAgreement[],
  answer: ListingPreflight,
  escrowForm: EscrowForm = escrowFormOf(owner),
): Plan {
  assertAnswer(preflightListing, answer)
  assert(answer.listings.length === agreements.length, 'the market prepared a different number of listings')
  assertNamed(answer.carries, agreements)
  const market = marketOf(owner, keys)
  const recovery = openStep(answer.recoveryPsbt)
  const batch = agreements.map((agreement, i) => {
    const recoveryCoin = marketCoinOf(recovery, agreements.length + i, market)
    return listingTermsOf(owner, market, {
      agreement,
      listing: answer.listings[i]!,
      recoveryCoin,
      escrowForm,
    })
  })
  const anchors = batch.flatMap(({ anchor, recoveryCoin }) => [anchor, recoveryCoin])
  assert(
    anchors.every((anchor, i) =>
      anchors.every((other, n) => i === n || anchor.txid !== other.txid || anchor.vout !== other.vout),
    ),
    'the market uses one of its coins twice',
  )
  const steps = batch.flatMap((terms, i) => {
    const { inscriptionId, psbts } = answer.listings[i]!
    return [
      planStep(owner, psbts[0]!, {
        name: `the transfer of ${inscriptionId} into escrow`,
        layout: asCheckFailed(() => buildTransfer(terms)),
        indexes: [0],
        sighash: SIGHASH.DEFAULT,
        stepIndex: 0,
      }),
      planStep(owner, psbts[1]!, {
        name: `the sale of ${inscriptionId}`,
        layout: asCheckFailed(() => buildSaleLeg(terms)),
        indexes: [0],
        sighash: SIGHASH.SINGLE_ANYONECANPAY,
        stepIndex: 1,
      }),
    ]
  })
  const layout = asCheckFailed(() => buildRecovery(batch))
  return {
    steps: [
      ...steps,
      planStep(owner, answer.recoveryPsbt, {
        name: 'the recovery',
        layout,
        indexes: batch.map((_, i) => i),
        sighash: SIGHASH.ALL,
      }),
    ],
  }
}

/** Builds the terms of a listing from the agreement. The market's coins come from the PSBTs. Throws CheckFailed. */
function listingTermsOf(
  owner: Owner,
  market: Market,
  {
    agreement,
    listing,
    recoveryCoin,
    escrowForm,
  }: {
    agreement: ListingAgreement
    listing: Answer<'preflightListing'>['listings'][number]
    recoveryCoin: Coin
    escrowForm: EscrowForm
  },
): ListingTerms {
  const { inscriptionId, priceSats, coin } = agreement
  const [transferStep, legStep] = listing.psbts
  assert(
    transferStep !== undefined && legStep !== undefined && listing.psbts.length === 2,
    'a listing has two signing steps',
  )
  assert(
    [listing, transferStep, legStep].every((part) => part.inscriptionId === inscriptionId),
    'the market prepared a different inscription',
  )
  assertOffsetInside(coin, inscriptionId)
  const transfer = openStep(transferStep)
  const anchor = marketCoinOf(transfer, 1, market)
  assert(
    [anchor, recoveryCoin].every((marketCoin) => marketCoin.valueSats === ANCHOR_SATS),
    `the market's coins of ${inscriptionId} are not anchors`,
  )
  const payoutSats = openStep(legStep).tx.outputs[0]?.valueSats ?? 0
  const minPayoutSats = minNet(priceSats, agreement) + coin.valueSats
  assert(
    payoutSats >= minPayoutSats && payoutSats <= priceSats + coin.valueSats,
    `the settlement leg pays ${payoutSats} sats, less than the agreed minimum of ${minPayoutSats}`,
  )
  return {
    ...ownTransferTerms(owner, market, { coin, anchor, escrowForm, transfer }),
    generation: assertGeneration(inscriptionId, listing.generation ?? 0),
    recoveryCoin,
    payoutSats,
    payoutScript: owner.paymentScript,
  }
}
