import { randomBytes, randomUUID } from 'node:crypto'
import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import {
  bidOutputOf,
  buildFundingParent,
  type CollectionOfferTerms,
} from '@ordbook/bitcoin/trade/collection-offer.ts'
import { canonicalTarget, criteriaHash, criteriaText, eligibleRoot } from '@ordbook/bitcoin/trade/criteria.ts'
import type { BidCriteria } from '@ordbook/bitcoin/trade/fill-check.ts'
import { transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type {
  preflightCollectionWideOffer as preflightOperation,
  submitCollectionWideOffer as submitOperation,
} from '@ordbook/contract/collection-offers.ts'
import { DEFAULT_VALIDITY_HOURS } from '@ordbook/contract/durations.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { pack } from '@ordbook/db/driver/pack.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import { listSpentInMempool, lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { type BindingRow, lockProfileOf } from '../auth/queries.ts'
import { type CollectionRow, listEligible } from '../collections/queries.ts'
import { sellerOf } from '../listings/owner.ts'
import { assertUnique } from '../preflight/duplicates.ts'
import { canonicalCoin } from '../preflight/echoes.ts'
import { type OpenPreflight, openPreflights, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { describeSteps, parentsOf, signaturesOf } from '../preflight/steps.ts'
import { insertBacking } from '../settlements/backing-queries.ts'
import { assertConfirmedCoins, payerOf, paymentStep, usableCoins } from '../settlements/payment-coins.ts'
import { getTrader } from '../settlements/trader.ts'
import type { UseCase } from '../use-case.ts'
import { openTermsOf, rejectUnfillable, takingOfBid } from './bid-economics.ts'
import { offersSharingCoins, payOffers } from './coins.ts'
import { moveCollectionOffer, revokeCancelled } from './lifecycle.ts'
import { countActive, insertCollectionOffer, insertEligibleSet, listReplaced } from './queries.ts'
import { labelOf, ladderOf, targetOf } from './target.ts'

/**
 * Offers on any eligible inscription of a collection. The maker signs a zero-fee funding parent, which is broadcast only with a fill. Its
 * first output can be spent by the maker, or by guardian and market with a secret derived from the offer's criteria.
 */
type Request = BodyOf<typeof preflightOperation>
type Answer = AnswerOf<typeof submitOperation>

const MAX_ACTIVE = 200

interface Prepared {
  terms: CollectionOfferTerms
  asked: BidCriteria
  fundingTxid: string
}

export const preflightCollectionOffers: UseCase<typeof preflightOperation> = async (context, call) => {
  const { sql, clock, config, guardian } = context
  const { body: input } = call
  const { collection, binding } = await getTrader(context, call)
  sellerOf(binding, input.ordinalsPublicKey)
  const payer = payerOf(binding, input.paymentPublicKey)
  const prices = ladderOf(input)
  const eligible = await listEligible(sql, collection.collectionId, targetOf(input.target))
  if (eligible.length === 0) throw invalid('criteria-unmet', `target: no item in ${collection.slug} matches`)
  const criteria = criteriaText(collection.slug, input.target)
  const hours = input.validityHours ?? DEFAULT_VALIDITY_HOURS
  const asked: BidCriteria = {
    criteria,
    eligibleRoot: eligibleRoot(eligible),
    expiresAt: clock().getTime() + hours * 3_600_000,
  }
  const candidates = await usableCoins(context, binding, input.spendableUtxos)
  const coins = await payOffers(candidates, prices)
  const shared = offersSharingCoins(coins)
  const offers = []
  for (const [k, priceSats] of prices.entries()) {
    const open = openTermsOf(context, { ...binding, payer }, priceSats, coins[k]!)
    const terms = { ...open, secretHash: await guardian.lock({ terms: open, asked }) }
    await rejectUnfillable(context, [takingOfBid(context, collection, terms)], 'coins-fragmented')
    const layout = buildFundingParent(terms)
    const fundingTxid = txidOf(transactionOf(layout))
    const preflightToken = randomBytes(32).toString('base64url')
    const prepared: Prepared = { terms, asked, fundingTxid }
    const selectedPaymentUtxos = coins[k]!.map(canonicalCoin)
    await savePreflight(context, sql, {
      handle: preflightToken,
      kind: 'collection-offer',
      walletBindingId: binding.walletBindingId,
      request: canonical(collection, input),
      prepared,
    })
    const bid = bidOutputOf(terms)
    const steps = [paymentStep(layout, binding, input.paymentPublicKey)]
    const [fundingParentStep] = describeSteps(context, steps, await parentsOf(context, [layout]))
    offers.push({
      priceSats,
      offerAddress: addressOfScript(bid.script, config.addressNetwork)!,
      offerScriptHex: bytesToHex(bid.script),
      offerAuthSecretHash: bytesToHex(bid.secretHash),
      selectedPaymentUtxos,
      fundingParentFeeRateSatVb: 0 as const,
      fundingBroadcasted: false as const,
      expectedFundingParentTxid: fundingTxid,
      fundingParentVout: 0,
      preflightToken,
      fundingParentStep: fundingParentStep!,
      sharesCoinsWith: shared[k]!,
    })
  }
  return {
    criteriaCanonicalJson: criteria,
    offerCriteriaHash: criteriaHash(criteria),
    eligibleRoot: asked.eligibleRoot,
    eligibleCount: eligible.length,
    buyerReceiveScriptHex: bytesToHex(binding.ordinalsScript),
    offers,
  }
}

export const submitCollectionOffers: UseCase<typeof submitOperation> = async (context, call) => {
  const { sql, clock } = context
  const { body: input } = call
  const { collection, binding } = await getTrader(context, call)
  const { spendableUtxos, ...echoed } = canonical(collection, input)
  const tokens = input.offers.map((offer) => offer.preflightToken)
  assertUnique(tokens, 'preflightToken', 'offers')
  const preflightKey = {
    handles: tokens,
    kind: 'collection-offer',
    walletBindingId: binding.walletBindingId,
    echoes: { ...echoed, ...(spendableUtxos === null ? {} : { spendableUtxos }) },
  } as const
  const open = (tx: Transaction) =>
    openPreflights<Prepared, Answer['offers'][number]>(context, tx, preflightKey)
  const preflights = await inTransaction(sql, open)
  if (preflights.length !== ladderOf(input).length)
    throw invalid('entries-mismatched', 'offers must have one entry for each offer of the preflight.')
  const signatures: Uint8Array[][] = []
  for (const [i, { prepared }] of preflights.entries())
    signatures.push(await checkEntry(prepared, input.offers[i]!, i, binding, input))
  const answered = answerOf(preflights)
  if (answered) {
    await revokeCancelled(context)
    return answered
  }

  const eligible = await listEligible(sql, collection.collectionId, canonicalTarget(input.target))
  const { asked } = preflights[0]!.prepared
  if (eligible.length === 0 || eligibleRoot(eligible) !== asked.eligibleRoot)
    throw conflict(
      'preflight-outdated',
      'The eligible inscriptions have changed since the preflight. Request a new preflight.',
    )
  for (const { prepared } of preflights) await assertConfirmedCoins(context, prepared.terms.payments)
  const takings = preflights.map(({ prepared }) => takingOfBid(context, collection, prepared.terms))
  await rejectUnfillable(context, takings, 'fees-risen')

  const hash = criteriaHash(asked.criteria)
  const answer = await inTransaction(sql, async (tx) => {
    const storedAnswer = answerOf(await open(tx))
    if (storedAnswer) return storedAnswer
    await lockProfileOf(tx, binding)
    await lockMempoolView(tx)
    const now = clock()
    const coins = preflights.flatMap(({ prepared }) => prepared.terms.payments)
    const [spent] = await listSpentInMempool(tx, coins)
    if (spent)
      throw conflict('coin-spent', `Coin ${formatOutpoint(spent)} was spent. Request a new preflight.`)
    for (const old of await listReplaced(tx, { ...binding, criteriaHash: hash, coins, now }))
      await moveCollectionOffer(tx, old, 'replaced', { reason: 'its coins back a newer offer', now })
    if ((await countActive(tx, binding.walletBindingId, now)) + preflights.length > MAX_ACTIVE)
      throw conflict(
        'too-many-orders',
        `This wallet has reached the limit of ${MAX_ACTIVE} active collection offers. Cancel one first.`,
      )
    await insertEligibleSet(tx, asked.eligibleRoot, eligible)
    const shared = offersSharingCoins(preflights.map(({ prepared }) => prepared.terms.payments))
    const offers: Answer['offers'] = []
    for (const [i, { handle, prepared }] of preflights.entries()) {
      const answer = await writeOffer(tx, collection, input, {
        prepared,
        asked,
        hash,
        eligible,
        walletBindingId: binding.walletBindingId,
        signatures: signatures[i]!,
        taking: takings[i]!,
        sharesCoinsWith: shared[i]!,
        now,
      })
      await setPreflightAnswer(tx, handle, answer)
      offers.push(answer)
    }
    return { status: 'active' as const, offers }
  })
  // A database restored from a backup could otherwise make the replaced offers active again.
  await revokeCancelled(context)
  return answer
}

async function writeOffer(
  tx: Transaction,
  collection: CollectionRow,
  input: Request,
  {
    prepared,
    asked,
    hash,
    eligible,
    walletBindingId,
    signatures,
    taking,
    sharesCoinsWith,
    now,
  }: {
    prepared: Prepared
    asked: BidCriteria
    hash: string
    eligible: readonly string[]
    walletBindingId: string
    signatures: Uint8Array[]
    taking: ReturnType<typeof takingOfBid>
    sharesCoinsWith: number[]
    now: Date
  },
): Promise<Answer['offers'][number]> {
  const { terms, fundingTxid } = prepared
  const offerId = randomUUID()
  await insertCollectionOffer(tx, {
    offerId,
    collectionId: collection.collectionId,
    walletBindingId,
    target: canonicalTarget(input.target),
    scopeLabel: labelOf(canonicalTarget(input.target)),
    criteria: asked.criteria,
    criteriaHash: hash,
    eligibleRoot: asked.eligibleRoot,
    eligibleCount: eligible.length,
    sampleInscriptionId: eligible[0]!,
    priceSats: terms.priceSats,
    terms: pack(terms),
    signatures: pack(signatures),
    fundingTxid,
    secretHash: bytesToHex(terms.secretHash),
    createdAt: now,
    expiresAt: new Date(prepared.asked.expiresAt),
    ...taking,
  }).catch((error: { code?: string }) => {
    // An active offer has the same funding parent.
    if (error.code === '23505') throw conflict('order-duplicate', 'An identical offer is already active.')
    throw error
  })
  await insertBacking(tx, offerId, terms.payments)
  return {
    offerId,
    status: 'active' as const,
    priceSats: terms.priceSats,
    fundingParentTxid: fundingTxid,
    fundingParentVout: 0,
    fundingParentFeeRateSatVb: 0 as const,
    fundingBroadcasted: false as const,
    sharesCoinsWith,
  }
}

/** Returns the signatures of an entry. Throws `invalid` if it differs from the prepared offer. */
async function checkEntry(
  { terms, fundingTxid }: Prepared,
  entry: BodyOf<typeof submitOperation>['offers'][number],
  at: number,
  binding: BindingRow,
  input: Request,
): Promise<Uint8Array[]> {
  const field = `offers[${at}]`
  if (entry.priceSats !== terms.priceSats)
    throw invalid('echo-mismatched', `${field}.priceSats differs from the preflight.`)
  if (entry.expectedFundingParentTxid !== fundingTxid)
    throw invalid('echo-mismatched', `${field}.expectedFundingParentTxid differs from the preflight.`)
  if (entry.fundingParentVout !== 0)
    throw invalid('echo-mismatched', `${field}.fundingParentVout differs from the preflight.`)
  if (
    JSON.stringify(entry.selectedPaymentUtxos.map(canonicalCoin)) !==
    JSON.stringify(terms.payments.map(canonicalCoin))
  )
    throw invalid('echo-mismatched', `${field}.selectedPaymentUtxos differs from the preflight.`)
  const step = paymentStep(buildFundingParent(terms), binding, input.paymentPublicKey)
  const [signatures] = await signaturesOf(
    [entry.signedFundingParentStep],
    [step],
    `${field}.signedFundingParentStep`,
  )
  return signatures!
}

/** Returns the stored response of a repeated submit. */
function answerOf(preflights: readonly OpenPreflight<Prepared, Answer['offers'][number]>[]): Answer | null {
  const offers = preflights.flatMap((preflight) => (preflight.answer ? [preflight.answer] : []))
  return offers.length === preflights.length ? { status: 'active', offers } : null
}

/** Returns the fields that a submit must repeat. */
const canonical = ({ collectionId }: CollectionRow, input: Request) => ({
  collectionId,
  ordinalsPublicKey: input.ordinalsPublicKey,
  paymentPublicKey: input.paymentPublicKey,
  target: canonicalTarget(input.target),
  priceSats: input.priceSats,
  offerCount: input.offerCount ?? 1,
  ladderStepSats: input.ladderStepSats ?? 0,
  validityHours: input.validityHours ?? DEFAULT_VALIDITY_HOURS,
  spendableUtxos: input.spendableUtxos?.map(canonicalCoin) ?? null,
})
