import { randomUUID } from 'node:crypto'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { feeOf } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { buildCounterSettlement, type CounterTerms } from '@ordbook/bitcoin/trade/counter.ts'
import { type Coin, signedVsizeOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildRecovery, buildTransfer, escrowCoinOf, TRANSFER_VSIZE } from '@ordbook/bitcoin/trade/listing.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type * as operations from '@ordbook/contract/counters.ts'
import { DEFAULT_VALIDITY_HOURS } from '@ordbook/contract/durations.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { inSigningTransaction, inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { pack, unpack } from '@ordbook/db/driver/pack.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import type { Session, SessionCall } from '@ordbook/http/operations/operations.ts'
import { listSpentInMempool, lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { BindingRow } from '../auth/queries.ts'
import { getCollectionById } from '../collections/inscriptions.ts'
import type { Context } from '../context.ts'
import { issueGenerations, sendFloors } from '../escrows/floors.ts'
import { insertEscrow, lockEscrows, raiseFloors, transferTermsOf } from '../escrows/queries.ts'
import { escrowOwnerOf, loadOwnedCoin } from '../listings/owner.ts'
import { type Charge, nameAnchors, takeAnchor, takeNamed } from '../market-coins/grants.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { openPreflight, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { describeSteps, type Step, signaturesOf } from '../preflight/steps.ts'
import { insertBacking } from '../settlements/backing-queries.ts'
import { royaltyOf, type TradeEconomics, tradeEconomics } from '../settlements/economics.ts'
import type { UseCase } from '../use-case.ts'
import { assertActive, type OfferPath, offeredTo, offerPathOf } from './act.ts'
import { describeOfferEconomics } from './economics.ts'
import { moveOffer, openOffer } from './lifecycle.ts'
import { findMinimums, findReusableTransfer, lockCounterOn, lockOffer, type OfferRow } from './queries.ts'

/**
 * Counter-offers: the owner's price in reply to an offer, for its buyer only. The owner signs the transfer into escrow, the settlement's
 * outputs and the recovery. Nothing is broadcast until the buyer accepts.
 */
type Request = BodyOf<typeof operations.preflightCounterOffer>
type Answer = AnswerOf<typeof operations.submitCounterOffer>

const MIN_MORE_SATS = 1000

interface Prepared {
  terms: CounterTerms
  recoveryHandle: string
  economics: TradeEconomics
  feeRateSatVb: number
}

export interface CounterSignatures {
  transfer: Uint8Array
  leg: Uint8Array
  recovery: Uint8Array
}

export const preflightCounter: UseCase<typeof operations.preflightCounterOffer> = async (context, call) => {
  const { sql, market } = context
  const { session, body: input } = call
  const at = offerPathOf(call.params)
  const { parent, binding } = await answered(context, call)
  const escrowForm = input.escrowForm ?? 'published'
  const seller = escrowOwnerOf(context, binding, input.ordinalsPublicKey, escrowForm)
  const { coin } = await loadOwnedCoin(context, binding, parent.inscriptionId)
  const otherContents = await describeOtherContents(context, [{ inscriptionId: parent.inscriptionId, coin }])
  const collection = await getCollectionById(context, parent.collectionId)
  const economics = tradeEconomics(context, collection, input.priceSats, 'counter')
  const feeRateSatVb = await settlementFeeRate(context)
  const anchorUtxoId = randomUUID()
  const recoveryHandle = randomUUID()
  const charge = await chargeOf(context, session, binding)
  const { walletBindingId } = charge
  const terms = await inTransaction(sql, async (tx): Promise<CounterTerms> => {
    const { inscriptionId, offerId } = parent
    const found = await findReusableTransfer(tx, {
      inscriptionId,
      offerId,
      walletBindingId,
      coin,
      escrowForm,
    })
    const existing = found && unpack<CounterTerms>(found)
    const anchors = await nameAnchors(context, tx, charge, {
      count: existing ? 1 : 2,
      newTransfers: existing ? null : { feeRateSatVb },
    })
    const [recoveryCoin, anchor = existing?.anchor] = anchors
    return {
      inscriptionCoin: coin,
      seller,
      marketKey: market.cosignKey,
      escrowForm,
      movedTo: null,
      generation: 0,
      anchor: anchor!,
      recoveryCoin: recoveryCoin!,
      market: market.coins,
      payoutSats: economics.sellerReceiveSats + coin.valueSats,
      payoutScript: binding.paymentScript,
      marketplaceRevenueSats: economics.marketplaceRevenueSats,
      marketScript: market.coinScript,
      royalty: royaltyOf(economics),
      buyerScript: parent.buyerScript,
    }
  })
  const prepared: Prepared = { terms, recoveryHandle, economics, feeRateSatVb }
  // For new transfers too: a restored database may lack coins that the signer knows.
  await issueGenerations(context, [escrowCoinOf(terms)], async (tx, [generation]) => {
    terms.generation = generation!
    await savePreflight(context, tx, {
      handle: anchorUtxoId,
      kind: 'counter',
      walletBindingId,
      request: canonical(at, input),
      prepared,
    })
  })
  const vsize = signedVsizeOf(buildCounterSettlement(terms, null)) + TRANSFER_VSIZE
  return {
    ...describeOfferEconomics(economics, coin.valueSats),
    anchorUtxoId,
    generation: terms.generation,
    targetFeeRateSatVb: feeRateSatVb,
    estimatedNetworkFeeSats: feeOf(vsize, feeRateSatVb),
    ...idsOf(terms),
    steps: describeSteps(context, stepsOf(terms, binding, input.ordinalsPublicKey)),
    ...otherContents,
  }
}

export const submitCounter: UseCase<typeof operations.submitCounterOffer> = async (context, call) => {
  const { sql, clock } = context
  const { session, body: input } = call
  const at = offerPathOf(call.params)
  const handle = input.anchorUtxoId.toLowerCase()
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  const { walletBindingId } = binding
  const preflightKey = { handle, kind: 'counter', walletBindingId, echoes: canonical(at, input) } as const
  const open = (tx: Transaction) => openPreflight<Prepared, Answer>(context, tx, preflightKey)
  const preflight = await inTransaction(sql, open)
  if (preflight.answer) {
    await sendFloors(context)
    return preflight.answer
  }
  const { terms, recoveryHandle } = preflight.prepared
  const ids = idsOf(terms)
  for (const field of ['expectedTransferTxid', 'expectedSettlementTxid'] as const)
    if (input[field] !== ids[field]) throw invalid('echo-mismatched', `${field} differs from the preflight.`)
  const { parent } = await answered(context, call)
  const steps = stepsOf(terms, binding, input.ordinalsPublicKey)
  const signatures = (await signaturesOf(input.signedSteps, steps)).map(([signature]) => signature!)
  const { coin } = await loadOwnedCoin(context, binding, parent.inscriptionId)
  if (formatOutpoint(coin) !== formatOutpoint(terms.inscriptionCoin))
    throw conflict(
      'preflight-outdated',
      `${parent.inscriptionId} has moved since the preflight. Request a new preflight.`,
    )
  const { inscriptionId, collectionId, sellerScript } = parent
  const now = clock()
  const charge = await chargeOf(context, session, binding)
  const minimums = await findMinimums(sql, { inscriptionId, collectionId, ownerScript: sellerScript, now })

  const answer = await inSigningTransaction(sql, async (tx) => {
    const reopened = await open(tx)
    if (reopened.answer) return reopened.answer
    await lockMempoolView(tx)
    const [spent] = await listSpentInMempool(tx, [coin])
    if (spent)
      throw conflict(
        'inscription-moving',
        `A pending transaction is moving ${inscriptionId}. Retry after the next block.`,
      )
    await replaceCounter(context, tx, parent, { terms, charge, handle, now })
    await takeNamed(context, tx, charge, [terms.recoveryCoin], recoveryHandle)
    const counter = {
      prepared: preflight.prepared,
      signatures,
      minimums,
      coin,
      walletBindingId,
      handle,
      now,
    }
    const offerId = await writeCounter(tx, parent, counter, input)
    const answer: Answer = { offerId, parentOfferId: parent.offerId, status: 'active' }
    await setPreflightAnswer(tx, handle, answer)
    // Before the commit, so that the new price is never visible while older legs are valid.
    const { generation: floor } = terms
    if (floor > 0)
      await context.signer.raiseFloors([{ outpoint: formatOutpoint(escrowCoinOf(terms)), floor }])
    return answer
  })
  // A database restored from a backup could otherwise make the replaced counter-offer active again.
  await sendFloors(context)
  return answer
}

/**
 * Locks the offer, so that counter-offers on it are stored one at a time. Ends the previous one and reserves the anchor. Throws `conflict`
 * if the offer is no longer active, or if the previous counter-offer is being accepted or was cancelled.
 */
async function replaceCounter(
  context: Context,
  tx: Transaction,
  parent: OfferRow,
  { terms, charge, handle, now }: { terms: CounterTerms; charge: Charge; handle: string; now: Date },
): Promise<void> {
  const escrow = escrowCoinOf(terms)
  assertActive(context, (await lockOffer(tx, parent.offerId))!)
  const previous = await lockCounterOn(tx, parent.offerId)
  const [existing] = await lockEscrows(tx, [escrow])
  if (existing && terms.generation < existing.floor)
    throw conflict(
      'preflight-outdated',
      `A counter-offer on ${parent.inscriptionId} was cancelled since the preflight. Request a new preflight.`,
    )
  const isSameEscrow = existing !== undefined && previous?.transferTxid === escrow.txid
  const why = {
    reason: 'replaced by a newer counter-offer',
    now,
    ...(isSameEscrow ? { floor: terms.generation } : {}),
  }
  if (previous && !(await moveOffer(tx, previous.offerId, 'cancelled', why)))
    throw conflict('offer-being-accepted', 'The previous counter-offer is already being accepted.')
  await takeAnchor(context, tx, charge, terms.anchor, { handle, isKnown: existing !== undefined })
}

const chargeOf = async (context: Context, session: Session, binding: BindingRow): Promise<Charge> => ({
  use: 'counter',
  walletBindingId: binding.walletBindingId,
  takenBy: await context.funding.takerOf(session, binding),
})

async function writeCounter(
  tx: Transaction,
  parent: Awaited<ReturnType<typeof answered>>['parent'],
  {
    prepared: { terms, recoveryHandle, economics, feeRateSatVb },
    signatures,
    minimums,
    coin,
    walletBindingId,
    handle,
    now,
  }: {
    prepared: Prepared
    signatures: Uint8Array[]
    minimums: Awaited<ReturnType<typeof findMinimums>>
    coin: Coin
    walletBindingId: string
    handle: string
    now: Date
  },
  input: Request,
): Promise<string> {
  const { inscriptionId, collectionId, sellerScript } = parent
  const offerId = randomUUID()
  const [transfer, leg, recovery] = signatures
  const counterSignatures: CounterSignatures = { transfer: transfer!, leg: leg!, recovery: recovery! }
  await openOffer(tx, {
    offerId,
    kind: 'seller_counter',
    parentOfferId: parent.offerId,
    collectionId,
    inscriptionId,
    buyerBindingId: parent.buyerBindingId,
    buyerScript: parent.buyerScript,
    sellerScript,
    sellerBindingId: walletBindingId,
    priceSats: input.priceSats,
    postageSats: coin.valueSats,
    economics: pack(economics),
    terms: pack(terms),
    signatures: pack(counterSignatures),
    feeRateSatVb,
    floorSats: minimums.selectedFloorSats,
    topOfferSats: minimums.topOfferSats,
    settlementTxid: null,
    anchorUtxoId: handle,
    recoveryHandle,
    transferTxid: idsOf(terms).expectedTransferTxid,
    createdAt: now,
    expiresAt: new Date(now.getTime() + (input.validityHours ?? DEFAULT_VALIDITY_HOURS) * 3_600_000),
  })
  await insertBacking(tx, offerId, [terms.inscriptionCoin])
  await insertEscrow(tx, {
    ...escrowCoinOf(terms),
    walletBindingId,
    collectionId,
    inscriptionId,
    sellerScript,
    terms: pack(transferTermsOf(terms)),
    transferSignature: counterSignatures.transfer,
    generation: terms.generation,
    createdAt: now,
  })
  await raiseFloors(tx, [escrowCoinOf(terms)], terms.generation)
  return offerId
}

/** Returns the offer that a counter-offer replies to. Throws unless it is active and below the price. */
export async function answered(
  context: Context,
  call: Pick<SessionCall<typeof operations.preflightCounterOffer>, 'session' | 'params'> & {
    body: { walletBindingId: string; priceSats: number }
  },
): Promise<{ parent: OfferRow; binding: BindingRow }> {
  const { offer: parent, binding } = await offeredTo(context, call)
  assertActive(context, parent)
  if (call.body.priceSats < parent.priceSats + MIN_MORE_SATS)
    throw invalid(
      'price-out-of-range',
      `priceSats: a counter-offer must be at least ${MIN_MORE_SATS} sats above the offer of ${parent.priceSats} sats`,
    )
  return { parent, binding }
}

const canonical = (at: OfferPath, input: Request) => ({
  inscriptionId: at.inscriptionId,
  offerId: at.offerId.toLowerCase(),
  ordinalsPublicKey: input.ordinalsPublicKey,
  escrowForm: input.escrowForm ?? 'published',
  priceSats: input.priceSats,
  validityHours: input.validityHours ?? DEFAULT_VALIDITY_HOURS,
})

const idsOf = (terms: CounterTerms) => ({
  expectedTransferTxid: escrowCoinOf(terms).txid,
  expectedSettlementTxid: txidOf(transactionOf(buildCounterSettlement(terms, null))),
})

/** Returns the steps transfer (DEFAULT), settlement (ALL|ANYONECANPAY) and recovery (ALL). */
function stepsOf(terms: CounterTerms, binding: BindingRow, ordinalsPublicKey: string): Step[] {
  const leaf = {
    indexes: [0],
    signerScript: binding.ordinalsScript,
    publicKey: ordinalsPublicKey,
  }
  return [
    {
      layout: buildTransfer(terms),
      indexes: [0],
      sighash: SIGHASH.DEFAULT,
      signerScript: binding.ordinalsScript,
      publicKey: ordinalsPublicKey,
    },
    { layout: buildCounterSettlement(terms, null), ...leaf, sighash: SIGHASH.ALL_ANYONECANPAY },
    { layout: buildRecovery([terms]), ...leaf, sighash: SIGHASH.ALL },
  ]
}
