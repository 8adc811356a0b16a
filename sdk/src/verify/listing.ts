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
import { preflightListing } from '@ordbook/contract/listings.ts'
import type { Answer } from '../operations.ts'
import { demandInside, demandNamed, type FeeLimits, type Goes, leastNet } from './answer-checks.ts'
import { demand, refusing } from './demand.ts'
import { ownTransferTerms } from './escrow-facts.ts'
import { type Market, marketCoinOf, marketOf, openStep } from './facts.ts'
import { type InscriptionCoin, type MarketKeys, type Owner, ordinalsSpendOf } from './owner.ts'
import { type Plan, planStep } from './plan.ts'
import { demandAnswer } from './verifier.ts'

/** The agreement of a seller for one inscription. */
export interface ListingAgreement extends FeeLimits, Goes {
  priceSats: number
  /** The coin that the inscription is in, from a source that the seller trusts. */
  coin: InscriptionCoin
}

/**
 * Maximum step from one generation to the next. No seller changes a price this often, and a coin that used its last generation cannot be
 * priced again.
 */
const MAX_STEP = 10_000

/** Returns a generation that is greater than the last signed one by at most `MAX_STEP`. Throws CheckFailed. */
export function demandGeneration(inscriptionId: string, generation: number, lastGeneration = -1): number {
  demand(
    generation > lastGeneration,
    `the leg of ${inscriptionId} has the generation of one that was signed before`,
  )
  demand(
    generation - lastGeneration <= MAX_STEP,
    `the leg of ${inscriptionId} would use up ${generation - lastGeneration} generations`,
  )
  return generation
}

/** The form that a wallet's escrows get by default: the one that ordinary wallets can leave, if the wallet shows its untweaked key. */
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
  answer: Answer<'preflightListing'>,
  escrowForm: EscrowForm = escrowFormOf(owner),
): Plan {
  demandAnswer(preflightListing.answer, answer)
  demand(
    answer.listings.length === agreements.length,
    'the market prepared another number of listings than was agreed',
  )
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
    anchors.every((one, i) =>
      anchors.every((other, n) => i === n || one.txid !== other.txid || one.vout !== other.vout),
    ),
    'the market names one of its coins twice',
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

/**
 * The terms of one listing: as agreed, with the market's coins as the PSBTs of the transfer and the recovery name them. Throws
 * CheckFailed.
 */
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
    [listing, transferStep, legStep].every((each) => each.inscriptionId === inscriptionId),
    'the market prepared another inscription than was agreed',
  )
  demandInside(coin, inscriptionId)
  const transfer = openStep(transferStep)
  const anchor = marketCoinOf(transfer, 1, market)
  demand(
    [anchor, recoveryCoin].every((each) => each.valueSats === ANCHOR_SATS),
    `the market's coins of ${inscriptionId} are not anchors`,
  )
  const payoutSats = openStep(legStep).tx.outputs[0]?.valueSats ?? 0
  const leastSats = leastNet(priceSats, agreement) + coin.valueSats
  demand(
    payoutSats >= leastSats && payoutSats <= priceSats + coin.valueSats,
    `the settlement leg pays ${payoutSats} sats, agreed were at least ${leastSats}`,
  )
  return {
    ...ownTransferTerms(owner, market, { coin, anchor, escrowForm, transfer }),
    generation: demandGeneration(inscriptionId, listing.generation ?? 0),
    recoveryCoin,
    payoutSats,
    payoutScript: owner.paymentScript,
  }
}
