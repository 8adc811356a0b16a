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
import { demandAnswer } from '../checks/demand-answer.ts'
import type { Answer } from '../operations.ts'
import type { ListingPreflight } from '../results.ts'
import { demandInside, demandNamed, type FeeLimits, type Goes, leastNet } from './answer-checks.ts'
import { demand, refusing } from './demand.ts'
import { ownTransferTerms } from './escrow-facts.ts'
import { type Market, marketCoinOf, marketOf, openStep } from './facts.ts'
import { type InscriptionCoin, type MarketKeys, type Owner, ordinalsSpendOf } from './owner.ts'
import { type Plan, planStep } from './plan.ts'

/** Terms of a seller for one inscription. */
export interface ListingAgreement extends FeeLimits, Goes {
  priceSats: number
  /** The inscription's coin, from a source that the seller trusts. */
  coin: InscriptionCoin
}

/** Maximum step from one generation to the next. A large step would use up the generations of a coin, which then cannot be priced again. */
const MAX_STEP = 10_000

/** Returns a generation that is greater than the last signed one by at most `MAX_STEP`. Throws CheckFailed. */
export function demandGeneration(inscriptionId: string, generation: number, lastGeneration = -1): number {
  demand(
    generation > lastGeneration,
    `the generation of the leg of ${inscriptionId} is not later than the last signed one`,
  )
  demand(
    generation - lastGeneration <= MAX_STEP,
    `the leg of ${inscriptionId} would skip ${generation - lastGeneration} generations`,
  )
  return generation
}

/** Returns the default escrow form of a wallet. The wallet form, which ordinary wallets can exit, requires the untweaked key. */
export const escrowFormOf = (owner: Owner): EscrowForm =>
  ordinalsSpendOf(owner).internalKey ? 'wallet' : 'published'

/**
 * Verifies a listing preflight by rebuilding, for each agreement in order, the transfer into escrow and the leg, and one recovery for all.
 * Returns the plan in the order of the response, the recovery last. Throws CheckFailed.
 */
export function verifyListing(
  owner: Owner,
  keys: MarketKeys,
  agreements: readonly ListingAgreement[],
  answer: ListingPreflight,
  escrowForm: EscrowForm = escrowFormOf(owner),
): Plan {
  demandAnswer(preflightListing, answer)
  demand(answer.listings.length === agreements.length, 'the market prepared a different number of listings')
  demandNamed(answer.carries, agreements)
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
  demand(
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
        layout: refusing(() => buildTransfer(terms)),
        indexes: [0],
        sighash: SIGHASH.DEFAULT,
        stepIndex: 0,
      }),
      planStep(owner, psbts[1]!, {
        name: `the sale of ${inscriptionId}`,
        layout: refusing(() => buildSaleLeg(terms)),
        indexes: [0],
        sighash: SIGHASH.SINGLE_ANYONECANPAY,
        stepIndex: 1,
      }),
    ]
  })
  const layout = refusing(() => buildRecovery(batch))
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

/** Builds the terms of one listing from the agreement, and from the PSBTs for the market's coins. Throws CheckFailed. */
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
  demand(
    transferStep !== undefined && legStep !== undefined && listing.psbts.length === 2,
    'a listing has two signing steps',
  )
  demand(
    [listing, transferStep, legStep].every((part) => part.inscriptionId === inscriptionId),
    'the market prepared a different inscription',
  )
  demandInside(coin, inscriptionId)
  const transfer = openStep(transferStep)
  const anchor = marketCoinOf(transfer, 1, market)
  demand(
    [anchor, recoveryCoin].every((marketCoin) => marketCoin.valueSats === ANCHOR_SATS),
    `the market's coins of ${inscriptionId} are not anchors`,
  )
  const payoutSats = openStep(legStep).tx.outputs[0]?.valueSats ?? 0
  const minPayoutSats = leastNet(priceSats, agreement) + coin.valueSats
  demand(
    payoutSats >= minPayoutSats && payoutSats <= priceSats + coin.valueSats,
    `the settlement leg pays ${payoutSats} sats, and the agreed minimum is ${minPayoutSats}`,
  )
  return {
    ...ownTransferTerms(owner, market, { coin, anchor, escrowForm, transfer }),
    generation: demandGeneration(inscriptionId, listing.generation ?? 0),
    recoveryCoin,
    payoutSats,
    payoutScript: owner.paymentScript,
  }
}
