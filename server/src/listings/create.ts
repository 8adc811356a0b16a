import { randomUUID } from 'node:crypto'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { SigningRequest } from '@ordbook/bitcoin/psbt.ts'
import type { Coin, Layout } from '@ordbook/bitcoin/trade/layout.ts'
import {
  buildRecovery,
  buildSaleLeg,
  buildTransfer,
  escrowCoinOf,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import type {
  preflightListing as preflightOperation,
  submitListing as submitOperation,
} from '@ordbook/contract/listings.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { getOwnBinding } from '../auth/me.ts'
import { holdMempool } from '../chain/mempool-queries.ts'
import { getTradedCollection } from '../collections/inscriptions.ts'
import type { Context } from '../context.ts'
import { inTransaction, type Queryable, type Transaction } from '../db/connect.ts'
import { pack, unpack } from '../db/pack.ts'
import { conflict, invalid } from '../errors.ts'
import { issueGenerations } from '../escrows/floors.ts'
import { insertEscrow, lockEscrows, raiseFloor, transferTermsOf } from '../escrows/queries.ts'
import type { Session } from '../http/operations.ts'
import { holdNamed, nameAnchors } from '../market-coins/anchors.ts'
import { findRetiredHandle, rehandCoins } from '../market-coins/queries.ts'
import { describeCarries } from '../preflight/carries.ts'
import { describeSteps, type Step } from '../preflight/steps.ts'
import { tradeEconomics } from '../settlements/economics.ts'
import { refuseBelowBids } from './below-bids.ts'
import {
  checkDrafts,
  checkHandles,
  checkSignatures,
  LEG_REQUEST,
  recoveryRequest,
  TRANSFER_REQUEST,
} from './checks.ts'
import { assertChurn, checkItems, refuseInEscrow } from './items.ts'
import { moveListing } from './lifecycle.ts'
import { insertOrderEvent } from './log-queries.ts'
import { escrowOwnerOf, ownCoinOf } from './owner.ts'
import { findInTrade } from './placement-queries.ts'
import {
  type DraftRow,
  deleteDrafts,
  findTransferAgain,
  insertDraft,
  insertListing,
  listListingsById,
  lockDrafts,
  lockLiveListing,
  setDraftListing,
} from './queries.ts'
import { recheckListings } from './recheck.ts'
import { LIVE, type ListingState } from './states.ts'

/**
 * Listing an inscription: the seller signs the transfer into escrow (not broadcast), the leg that any settlement must
 * carry, and the recovery. Preflight and submit share `termsOf`: submit rebuilds what preflight made and takes nothing
 * from the client but signatures.
 */
type Request = BodyOf<typeof preflightOperation>

export async function preflightListing(
  context: Context,
  session: Session,
  slug: string,
  input: Request,
): Promise<AnswerOf<typeof preflightOperation>> {
  const { sql, clock, config } = context
  const collection = await getTradedCollection(context, slug)
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  const escrowForm = input.escrowForm ?? 'published'
  const seller = escrowOwnerOf(context, binding, input.ordinalsPublicKey, escrowForm)
  await checkItems(context, collection, input)
  const inTrade = await findInTrade(
    sql,
    input.items.map((item) => item.inscriptionId),
  )
  if (inTrade) throw conflict('inscription-in-trade', `${inTrade} is being bought right now`)
  await refuseInEscrow(context, binding, input)
  await refuseBelowBids(context, session, collection, input.items)
  const coins: Coin[] = []
  const held: { inscriptionId: string; coin: Coin }[] = []
  for (const item of input.items) {
    const { coin, confirmed } = await ownCoinOf(context, binding, item.inscriptionId, { pending: true })
    coins.push(coin)
    if (confirmed) held.push({ inscriptionId: item.inscriptionId, coin })
  }
  const carried = await describeCarries(context, held)

  await assertChurn(context, binding, input)
  const takenBy = await context.funding.takerOf(session, binding)
  const expiresAt = new Date(clock().getTime() + config.handleSeconds * 1000)
  const drafts = await inTransaction(sql, async (tx) => {
    const inscriptionIds = input.items.map((item) => item.inscriptionId)
    await deleteDrafts(tx, { walletBindingId: binding.walletBindingId, inscriptionIds })
    const again = new Map<string, ListingTerms>()
    for (const [i, inscriptionId] of inscriptionIds.entries()) {
      const { walletBindingId } = binding
      const found = await findTransferAgain(tx, {
        inscriptionId,
        walletBindingId,
        coin: coins[i]!,
        escrowForm,
      })
      if (found) again.set(inscriptionId, unpack<ListingTerms>(found))
    }
    const issued = await issueGenerations(context, tx, [...again.values()].map(escrowCoinOf))
    const generations = new Map([...again.keys()].map((inscriptionId, i) => [inscriptionId, issued[i]!]))
    const named = await nameAnchors(context, tx, { count: input.items.length * 2 - again.size, takenBy })
    const made: { anchorUtxoId: string; inscriptionId: string; terms: ListingTerms }[] = []
    for (const [i, { inscriptionId, priceSats }] of input.items.entries()) {
      const anchorUtxoId = randomUUID()
      const recoveryHandle = randomUUID()
      const before = again.get(inscriptionId)
      const recoveryCoin = named.pop()!
      const anchor = before?.anchor ?? named.pop()!
      const economics = tradeEconomics(context, collection, priceSats, 'listing')
      const terms: ListingTerms = {
        inscriptionCoin: coins[i]!,
        seller,
        marketKey: context.market.cosignKey,
        escrowForm,
        movedTo: null,
        generation: generations.get(inscriptionId) ?? 0,
        anchor,
        recoveryCoin,
        market: context.market.coins,
        payoutSats: economics.sellerReceiveSats + coins[i]!.valueSats,
        payoutScript: binding.paymentScript,
      }
      await insertDraft(tx, {
        anchorUtxoId,
        recoveryHandle,
        walletBindingId: binding.walletBindingId,
        collectionId: collection.collectionId,
        inscriptionId,
        priceSats,
        terms: pack(terms),
        economics: pack(economics),
        expiresAt,
      })
      made.push({ anchorUtxoId, inscriptionId, terms })
    }
    return made
  })

  const stepOf = (layout: Layout, request: SigningRequest): Step => ({
    layout,
    ...request,
    signerScript: binding.ordinalsScript,
    publicKey: input.ordinalsPublicKey,
  })
  const recovery = buildRecovery(drafts.map((draft) => draft.terms))
  const [described] = describeSteps(context, [stepOf(recovery, recoveryRequest(drafts.length))])
  const { stepIndex: _, ...recoveryPsbt } = described!
  return {
    listings: drafts.map(({ anchorUtxoId, inscriptionId, terms }) => ({
      inscriptionId,
      anchorUtxoId,
      generation: terms.generation,
      psbts: describeSteps(context, [
        stepOf(buildTransfer(terms), TRANSFER_REQUEST),
        stepOf(buildSaleLeg(terms), LEG_REQUEST),
      ]).map((step) => ({ ...step, inscriptionId })),
    })),
    recoveryPsbt,
    ...carried,
  }
}

export async function submitListing(
  context: Context,
  session: Session,
  slug: string,
  input: BodyOf<typeof submitOperation>,
): Promise<AnswerOf<typeof submitOperation>> {
  const { sql, clock } = context
  const collection = await getTradedCollection(context, slug)
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  const escrowForm = input.escrowForm ?? 'published'
  const seller = escrowOwnerOf(context, binding, input.ordinalsPublicKey, escrowForm)
  await checkItems(context, collection, input)
  checkHandles(input)

  const drafts = await inTransaction(sql, (tx) =>
    lockDrafts(
      tx,
      input.anchors.map((each) => each.anchorUtxoId),
    ),
  )
  checkDrafts(drafts, input, binding, collection)
  const answered = answerOf(drafts)
  if (answered) {
    await refuseEnded(sql, answered.listings)
    return answered
  }
  const batch = drafts.map((draft) => unpack<ListingTerms>(draft.terms))
  for (const terms of batch) {
    if (terms.escrowForm !== escrowForm)
      throw invalid('echo-mismatched', 'escrowForm differs from what the preflight was asked with')
    if (
      !equalBytes(terms.seller.internalKey ?? terms.seller.publicKey, seller.internalKey ?? seller.publicKey)
    )
      throw invalid('echo-mismatched', 'ordinalsPublicKey differs from what the preflight was asked with')
  }
  const signatures = checkSignatures(input, batch)
  const found: { satOffset: number; state: ListingState }[] = []
  for (const [i, terms] of batch.entries()) {
    const { inscriptionId } = input.items[i]!
    const { coin, satOffset, confirmed } = await ownCoinOf(context, binding, inscriptionId, { pending: true })
    found.push({ satOffset, state: confirmed ? 'buyable' : 'pending_public' })
    if (formatOutpoint(coin) !== formatOutpoint(terms.inscriptionCoin))
      throw conflict(
        'preflight-outdated',
        `${inscriptionId} has moved since the preflight: prepare the listing again`,
      )
  }

  await refuseBelowBids(context, session, collection, input.items)
  await assertChurn(context, binding, input)
  const takenBy = await context.funding.takerOf(session, binding)
  const now = clock()
  await inTransaction(sql, async (tx) => {
    const locked = await lockDrafts(
      tx,
      input.anchors.map((each) => each.anchorUtxoId),
    )
    if (answerOf(locked)) return
    await holdMempool(tx)
    const recoveryBatch = randomUUID()
    for (const [i, draft] of locked.entries()) {
      if (draft.expiresAt <= now)
        throw conflict('preflight-expired', 'The preflight expired: prepare the listing again')
      const { anchor, recoveryCoin } = batch[i]!
      const wallet = { causedBy: binding.walletBindingId, takenBy }
      const escrow = escrowCoinOf(batch[i]!)
      const { generation } = batch[i]!
      // The same transfer as before is prepared with the same anchor, which then serves the new listing.
      const [known] = await lockEscrows(tx, [escrow])
      if (known && generation < known.floor)
        throw conflict(
          'preflight-outdated',
          `${draft.inscriptionId} was delisted since the preflight: prepare the listing again`,
        )
      await replaceLive(tx, draft.inscriptionId, now, known ? { ...escrow, generation } : null)
      const anchorHolder = { handle: draft.anchorUtxoId, ...wallet }
      const before = known && (await findRetiredHandle(tx, anchor))
      if (!before || (await rehandCoins(tx, [anchor], before, anchorHolder)) !== 1)
        await holdNamed(context, tx, [anchor], anchorHolder)
      await holdNamed(context, tx, [recoveryCoin], { handle: draft.recoveryHandle, ...wallet })
      const listingId = randomUUID()
      const { satOffset, state } = found[i]!
      await insertListing(tx, {
        listingId,
        anchorUtxoId: draft.anchorUtxoId,
        recoveryHandle: draft.recoveryHandle,
        collectionId: draft.collectionId,
        inscriptionId: draft.inscriptionId,
        walletBindingId: draft.walletBindingId,
        sellerScript: binding.ordinalsScript,
        priceSats: draft.priceSats,
        terms: draft.terms,
        economics: draft.economics,
        transferTxid: escrow.txid,
        escrowVout: escrow.vout,
        generation,
        transferHeight: null,
        ...signatures[i]!,
        recoveryBatch,
        recoveryIndex: i,
        satOffset,
        coinTxid: batch[i]!.inscriptionCoin.txid,
        coinVout: batch[i]!.inscriptionCoin.vout,
        state,
        listedAt: now,
        expiresAt: input.durationDays ? new Date(now.getTime() + input.durationDays * 86_400_000) : null,
      })
      await insertOrderEvent(tx, {
        listingId,
        fromState: null,
        toState: state,
        reason: `listed for ${draft.priceSats} sats${state === 'buyable' ? '' : ', its coin is not in a block yet'}`,
        guarantee: null,
        height: null,
        occurredAt: now,
      })
      await insertEscrow(tx, {
        ...escrow,
        walletBindingId: draft.walletBindingId,
        collectionId: draft.collectionId,
        inscriptionId: draft.inscriptionId,
        sellerScript: binding.ordinalsScript,
        terms: pack(transferTermsOf(batch[i]!)),
        transferSignature: signatures[i]!.transferSignature,
        generation,
        createdAt: now,
      })
      await raiseFloor(tx, escrow, generation)
      await setDraftListing(tx, draft.anchorUtxoId, listingId)
    }
    // The signer refuses the older legs before anyone can see the new price.
    const raised = batch.filter((terms) => terms.generation > 0)
    if (raised.length > 0)
      await context.signer.raiseFloors(
        raised.map((terms) => ({ outpoint: formatOutpoint(escrowCoinOf(terms)), floor: terms.generation })),
      )
    // What has happened since we looked, the follower may have told nobody of.
    await recheckListings(tx, { inscriptionIds: locked.map((draft) => draft.inscriptionId) }, { now })
  })

  const done = await inTransaction(sql, (tx) =>
    lockDrafts(
      tx,
      input.anchors.map((each) => each.anchorUtxoId),
    ),
  )
  return answerOf(done)!
}

/** The same submit answers the same: null while a draft has no listing. */
function answerOf(drafts: readonly DraftRow[]): AnswerOf<typeof submitOperation> | null {
  if (drafts.some((draft) => draft.listingId === null)) return null
  return {
    listings: drafts.map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId: listingId! })),
  }
}

/** A repeated submit may not say that something is listed which is not any more. Throws conflict. */
async function refuseEnded(sql: Queryable, listings: readonly { listingId: string }[]): Promise<void> {
  const rows = await listListingsById(
    sql,
    listings.map((each) => each.listingId),
  )
  const ended = rows.find((row) => !LIVE.includes(row.state) && row.state !== 'sold')
  if (ended)
    throw conflict(
      'listing-ended',
      `Listing ${ended.listingId} has ended since (${ended.state}): prepare the listing again to list ${ended.inscriptionId}`,
    )
}

/**
 * A new listing takes the place of the old one, unless that is being bought. `leg`: of the new one, where its escrow coin is
 * known.
 */
async function replaceLive(
  tx: Transaction,
  inscriptionId: string,
  now: Date,
  leg: (Outpoint & { generation: number }) | null,
): Promise<void> {
  const live = await lockLiveListing(tx, inscriptionId)
  if (!live) return
  const isSameEscrow = leg?.txid === live.transferTxid && leg.vout === live.escrowVout
  const why = { reason: 'listed again', now, ...(isSameEscrow ? { floor: leg.generation } : {}) }
  const moved = await moveListing(tx, live.listingId, 'replaced', why)
  if (!moved) throw conflict('inscription-in-trade', `${inscriptionId} is being bought right now`)
}
