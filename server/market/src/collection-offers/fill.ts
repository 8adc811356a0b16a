import { randomUUID } from 'node:crypto'
import { dustLimitOf, type KeySpend } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  buildFill,
  type CollectionOfferTerms,
  type Fill,
  type FillTerms,
} from '@ordbook/bitcoin/trade/collection-offer.ts'
import { proofOf } from '@ordbook/bitcoin/trade/criteria.ts'
import type { FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { type Coin, feeOfLayout, positionsOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type * as operations from '@ordbook/contract/collection-offers.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { inSigningTransaction, inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import type { Session, SessionCall } from '@ordbook/http/operations/operations.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '../auth/me.ts'
import { type BindingRow, findBinding } from '../auth/queries.ts'
import { getCollectionById } from '../collections/inscriptions.ts'
import type { Context } from '../context.ts'
import { lockListing } from '../listings/lock.ts'
import { loadOwnedCoin, sellerOf } from '../listings/owner.ts'
import { assertActive } from '../offers/act.ts'
import { sameJson } from '../preflight/echoes.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { openPreflight, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { toFault } from '../preflight/refuse.ts'
import { describeSteps, type Step, signaturesOf } from '../preflight/steps.ts'
import { sellerNet } from '../settlements/bid-economics.ts'
import { areBidsDeclined, listBestBids } from '../settlements/bid-queries.ts'
import { broadcastSettlement } from '../settlements/broadcast.ts'
import { royaltyOf, tradeEconomics } from '../settlements/economics.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { assertConfirmedCoins } from '../settlements/payment-coins.ts'
import { claimCoins, insertSettlement } from '../settlements/queries.ts'
import type { UseCase } from '../use-case.ts'
import { getCollectionOffer } from './act.ts'
import { moveCollectionOffer } from './lifecycle.ts'
import { type CollectionOfferRow, isMatch, listEligibleOf, setFill } from './queries.ts'
import { fillKind } from './settlement-kind.ts'

/**
 * Fills of collection and trait offers. The owner signs a settlement, then guardian and market check and sign it. The funding parent and
 * the settlement are broadcast as a package.
 */
type Answer = AnswerOf<typeof operations.submitCollectionOfferFill>

const MIN_RATE = 1

/** Stored with the preflight. The submit sets the fee rate. */
interface Prepared {
  terms: FillTerms
  satOffset: number
}

export const preflightFill: UseCase<typeof operations.preflightCollectionOfferFill, SettlingContext> = async (
  context,
  call,
) => {
  const { sql } = context
  const { session, body: input } = call
  const { offer, binding } = await offered(context, call)
  assertActive(context, offer)
  const seller = sellerOf(binding, input.ordinalsPublicKey)
  await assertEligible(context, offer, input.inscriptionId)
  const { coin, satOffset } = await loadOwnedCoin(context, binding, input.inscriptionId)
  const carried = await describeOtherContents(context, [{ inscriptionId: input.inscriptionId, coin }])
  const { terms, built, economics, feeRateSatVb } = await planFill(context, { offer, binding, seller, coin })
  const admissionAnchorUtxoId = randomUUID()
  const prepared: Prepared = { terms, satOffset }
  await savePreflight(context, sql, {
    handle: admissionAnchorUtxoId,
    kind: 'fill',
    walletBindingId: binding.walletBindingId,
    request: canonical(input),
    prepared,
  })
  const [sellerStep] = describeSteps(context, [stepOf(built, binding, input.ordinalsPublicKey)])
  return {
    offerId: offer.offerId,
    inscriptionId: input.inscriptionId,
    sellerReceiveSats: economics.sellerReceiveSats,
    inscriptionUtxoValueSats: coin.valueSats,
    marketplaceFeeSats: economics.marketplaceRevenueSats,
    creatorRoyaltySats: economics.creatorRevenueSats,
    targetFeeRateSatVb: feeRateSatVb,
    estimatedNetworkFeeSats: built.feeSats,
    belowTopOfferWarning: await betterOffer(context, session, offer, {
      inscriptionId: input.inscriptionId,
      feeRateSatVb,
    }),
    expectedSettlementTxid: txidOf(transactionOf(built.settlement)),
    admissionAnchorUtxoId,
    sellerStep: sellerStep!,
    ...carried,
  }
}

export const submitFill: UseCase<typeof operations.submitCollectionOfferFill, SettlingContext> = async (
  context,
  call,
) => {
  const { sql, clock, guardian, signer } = context
  const { session, body: input } = call
  const { offer, binding } = await offered(context, call)
  const preflightKey = {
    handle: input.admissionAnchorUtxoId.toLowerCase(),
    kind: 'fill',
    walletBindingId: binding.walletBindingId,
    echoes: canonical(input),
  } as const
  const open = (tx: Transaction) =>
    openPreflight<Prepared, Pick<Answer, 'fillAttemptId' | 'settlementTxid'>>(context, tx, preflightKey)
  const preflight = await inTransaction(sql, open)
  const { satOffset } = preflight.prepared
  const { terms, built, settlementTxid } = builtAt(context, preflight.prepared, input)
  const step = stepOf(built, binding, input.ordinalsPublicKey)
  const [signatures] = await signaturesOf([input.signedSellerStep], [step], 'signedSellerStep')
  if (preflight.answer) return answerWith(context, offer, preflight.answer)

  const proof = await checkFill(context, session, { offer, binding, terms }, input)
  const request: FillRequest = {
    terms,
    asked: {
      criteria: offer.criteria,
      eligibleRoot: offer.eligibleRoot,
      expiresAt: offer.expiresAt.getTime(),
    },
    inscriptionId: input.inscriptionId,
    satOffset,
    proof,
    makerSignatures: unpack<Uint8Array[]>(offer.signatures),
    sellerSignature: signatures![0]!,
  }
  const settlementId = randomUUID()
  const answer = { fillAttemptId: settlementId, settlementTxid }
  const stored = await inSigningTransaction(sql, async (tx) => {
    const reopened = await open(tx)
    if (reopened.answer) return reopened.answer
    const why = { reason: `filled in ${settlementTxid}`, now: clock() }
    if (!(await moveCollectionOffer(tx, offer.offerId, 'filling', why)))
      throw conflict('offer-not-active', 'This offer is no longer active.')
    await lockListing(tx, input.inscriptionId, why)
    if (!(await claimCoins(tx, settlementId, [terms.inscriptionCoin, ...terms.offer.payments])))
      throw conflict('coin-spent', 'Another transaction is spending a coin of this trade.')
    const release = await guardian.release(request)
    const signed = await signer.signFill({ ...request, ...release })
    await setFill(tx, offer.offerId, {
      settlementId,
      inscriptionId: input.inscriptionId,
      satOffset,
      sellerScript: binding.ordinalsScript,
    })
    await insertSettlement(tx, {
      settlementId,
      kind: fillKind.name,
      settlementTxid,
      // A fill is a version 3 transaction (BIP 431). It cannot have an unconfirmed child of version 2.
      change: [],
      inscriptionIds: [input.inscriptionId],
      causedBy: binding.walletBindingId,
      refundSats: 0,
      transactions: signed.map((each) => ({
        ...each,
        feeSats: each.txid === settlementTxid ? feeOfLayout(built.settlement) : 0,
      })),
    })
    await setPreflightAnswer(tx, preflightKey.handle, answer)
    return answer
  })
  return answerWith(context, offer, stored)
}

/** Builds a fill at the current fee rate, for preflights and quotes. */
export async function planFill(
  context: Context,
  {
    offer,
    binding,
    seller,
    coin,
  }: { offer: CollectionOfferRow; binding: BindingRow; seller: KeySpend; coin: Coin },
) {
  const { market } = context
  const bid = unpack<CollectionOfferTerms>(offer.terms)
  await assertConfirmedCoins(context, bid.payments)
  const collection = await getCollectionById(context, offer.collectionId)
  const economics = tradeEconomics(context, collection, offer.priceSats, 'fill')
  const feeRateSatVb = Math.max(await settlementFeeRate(context), MIN_RATE)
  const terms: FillTerms = {
    offer: bid,
    inscriptionCoin: coin,
    seller,
    sellerReceiveSats: economics.sellerReceiveSats,
    payoutScript: binding.paymentScript,
    marketplaceRevenueSats: economics.marketplaceRevenueSats,
    marketScript: market.coinScript,
    royalty: royaltyOf(economics),
    feeRateSatVb,
    leastPayoutSats: dustLimitOf(binding.paymentScript),
  }
  return { terms, built: toFault(() => buildFill(terms), 'offerId'), economics, feeRateSatVb }
}

/** Builds the fill at the client's fee rate. Throws `conflict` if its txid differs from expectedSettlementTxid. */
function builtAt(
  { config }: Context,
  { terms: prepared }: Prepared,
  input: BodyOf<typeof operations.submitCollectionOfferFill>,
) {
  if (input.targetFeeRateSatVb > config.feeRateMaxSatVb)
    throw invalid('fee-rate-too-high', `targetFeeRateSatVb: the maximum is ${config.feeRateMaxSatVb} sat/vB`)
  const terms: FillTerms = { ...prepared, feeRateSatVb: input.targetFeeRateSatVb }
  const built = toFault(() => buildFill(terms), 'targetFeeRateSatVb')
  const settlementTxid = txidOf(transactionOf(built.settlement))
  if (input.expectedSettlementTxid !== settlementTxid)
    throw conflict(
      'settlement-mismatched',
      'expectedSettlementTxid differs from the settlement at this targetFeeRateSatVb. Request a new preflight.',
    )
  return { terms, built, settlementTxid }
}

/** Runs the checks that need no locks. Returns the proof of eligibility. */
async function checkFill(
  context: SettlingContext,
  session: Session,
  { offer, binding, terms }: Awaited<ReturnType<typeof offered>> & { terms: FillTerms },
  input: BodyOf<typeof operations.submitCollectionOfferFill>,
) {
  assertActive(context, offer)
  const proof = await assertEligible(context, offer, input.inscriptionId)
  const { coin } = await loadOwnedCoin(context, binding, input.inscriptionId)
  if (formatOutpoint(coin) !== formatOutpoint(terms.inscriptionCoin))
    throw conflict(
      'preflight-outdated',
      `${input.inscriptionId} has moved since the preflight. Request a new preflight.`,
    )
  await assertConfirmedCoins(context, terms.offer.payments)
  const better = await betterOffer(context, session, offer, {
    inscriptionId: input.inscriptionId,
    feeRateSatVb: input.targetFeeRateSatVb,
  })
  if (better && !sameJson(better, input.belowTopOfferConfirmation))
    throw conflict(
      'better-bid',
      `There is a better offer of ${better.topOffer.priceSats} sats. Accept that offer, or send belowTopOfferWarning as belowTopOfferConfirmation.`,
    )
  return proof
}

async function answerWith(
  context: SettlingContext,
  { offerId }: CollectionOfferRow,
  answer: Pick<Answer, 'fillAttemptId' | 'settlementTxid'>,
): Promise<Answer> {
  const { state } = await broadcastSettlement(context, answer.fillAttemptId)
  return { offerId, ...answer, status: state === 'confirmed' ? 'accepted' : 'broadcast' }
}

/** Returns an offer and the seller's binding. */
export async function offered(
  context: Context,
  {
    session,
    params,
    body,
  }: Pick<SessionCall<typeof operations.preflightCollectionOfferFill>, 'session' | 'params'> & {
    body: { walletBindingId: string; offerId: string }
  },
): Promise<{ offer: CollectionOfferRow; binding: BindingRow }> {
  if (body.offerId.toLowerCase() !== params.offerId.toLowerCase())
    throw invalid('echo-mismatched', 'offerId differs from the offerId in the path.')
  const offer = await getCollectionOffer(context, params)
  const binding = await getOwnBinding(context, session, body.walletBindingId)
  const maker = await findBinding(context.sql, offer.walletBindingId)
  if (maker?.profileId === session.profileId) throw invalid('own-order', 'You cannot fill your own offer.')
  return { offer, binding }
}

/** Returns the proof that an inscription is eligible for an offer. Throws unless it was eligible when the offer was made and still is. */
export async function assertEligible({ sql }: Context, offer: CollectionOfferRow, inscriptionId: string) {
  if (await areBidsDeclined(sql, inscriptionId))
    throw conflict(
      'bids-declined',
      `Collection offers on ${inscriptionId} are turned off. Call declineBids with declined: false to fill one.`,
    )
  const { member, match } = await isMatch(sql, offer.collectionId, offer.target, inscriptionId)
  if (!member) throw invalid('not-in-collection', `inscriptionId: ${inscriptionId} is not in this collection`)
  if (!match)
    throw invalid(
      'criteria-unmet',
      `inscriptionId: ${inscriptionId} does not match this offer's target (${offer.scopeLabel})`,
    )
  const proof = proofOf(await listEligibleOf(sql, offer.eligibleRoot), inscriptionId)
  if (!proof)
    throw conflict(
      'inscription-not-eligible',
      `${inscriptionId} was not in this collection when the offer was made.`,
    )
  return proof
}

/** Returns the best bid that pays the seller more than this offer. */
async function betterOffer(
  { sql, clock }: Context,
  session: Session,
  offer: CollectionOfferRow,
  { inscriptionId, feeRateSatVb }: { inscriptionId: string; feeRateSatVb: number },
) {
  const { profileId } = session
  const [best] = await listBestBids(sql, [inscriptionId], { profileId, now: clock(), feeRateSatVb })
  if (!best || best.netSats <= sellerNet(offer, feeRateSatVb)) return null
  return {
    selectedOffer: { offerId: offer.offerId, priceSats: offer.priceSats },
    topOffer: { offerId: best.offerId, priceSats: best.priceSats },
  }
}

const canonical = (input: BodyOf<typeof operations.preflightCollectionOfferFill>) => ({
  ordinalsPublicKey: input.ordinalsPublicKey,
  offerId: input.offerId.toLowerCase(),
  inscriptionId: input.inscriptionId,
})

function stepOf({ settlement }: Fill, binding: BindingRow, publicKey: string): Step {
  return {
    layout: settlement,
    indexes: positionsOf(settlement.inputs, 'inscription'),
    sighash: SIGHASH.DEFAULT,
    signerScript: binding.ordinalsScript,
    publicKey,
  }
}
