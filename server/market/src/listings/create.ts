import { randomUUID } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { SigningRequest } from '@ordbook/bitcoin/psbt.ts'
import type { Coin, Layout } from '@ordbook/bitcoin/trade/layout.ts'
import {
  buildRecovery,
  buildSaleLeg,
  buildTransfer,
  escrowCoinOf,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import type { EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import type * as operations from '@ordbook/contract/listings.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import {
  inSigningTransaction,
  inTransaction,
  type Queryable,
  type Transaction,
} from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { Session, SessionCall } from '@ordbook/http/operations/operations.ts'
import { lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { CollectionRow } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { issueGenerations, sendFloors } from '../escrows/floors.ts'
import { type Charge, nameAnchors } from '../market-coins/grants.ts'
import { rejectSharedCoins } from '../preflight/duplicates.ts'
import { describeOtherContents } from '../preflight/other-contents.ts'
import { type OpenPreflight, openPreflights, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { describeSteps, type Step } from '../preflight/steps.ts'
import { tradeEconomics } from '../settlements/economics.ts'
import { getTrader } from '../settlements/trader.ts'
import type { UseCase } from '../use-case.ts'
import { rejectBelowBestBid } from './below-bids.ts'
import {
  checkHandles,
  checkPrepared,
  checkSignatures,
  LEG_REQUEST,
  recoveryRequest,
  TRANSFER_REQUEST,
} from './checks.ts'
import { assertNotInEscrow, checkItems } from './items.ts'
import { escrowOwnerOf, loadOwnedCoin } from './owner.ts'
import { findInTrade } from './placement-queries.ts'
import { findReusableTransfer, type ListingRow, listListingsById, listReplaced } from './queries.ts'
import { recheckListings } from './recheck.ts'
import { LIVE } from './states.ts'
import { type Listed, type Prepared, writeListing } from './write.ts'

/**
 * Lists inscriptions. The seller signs the transfer into escrow (not broadcast), the leg that every settlement must contain, and the
 * recovery. The submit rebuilds all transactions from stored terms.
 */
type Answer = AnswerOf<typeof operations.submitListing>

export const preflightListing: UseCase<typeof operations.preflightListing> = async (context, call) => {
  const { sql } = context
  const { session, body: input } = call
  const { collection, binding, escrowForm, seller } = await checkRequest(context, call)
  const idInTrade = await findInTrade(
    sql,
    input.items.map((item) => item.inscriptionId),
  )
  if (idInTrade) throw conflict('inscription-in-trade', `A purchase of ${idInTrade} is in progress.`)
  await assertNotInEscrow(context, binding, input)
  await rejectBelowBestBid(context, session, collection, input.items)
  const coins: Coin[] = []
  const confirmedCoins: { inscriptionId: string; coin: Coin }[] = []
  for (const item of input.items) {
    const { coin, confirmed } = await loadOwnedCoin(context, binding, item.inscriptionId, { pending: true })
    coins.push(coin)
    if (confirmed) confirmedCoins.push({ inscriptionId: item.inscriptionId, coin })
  }
  rejectSharedCoins(coins)
  const otherContents = await describeOtherContents(context, confirmedCoins)
  const replaced = await listReplaced(
    sql,
    input.items.map(({ inscriptionId }, i) => ({ inscriptionId, coin: coins[i]! })),
  )

  const charge = await chargeOf(context, session, binding)
  const common = { collection, binding, seller, escrowForm, charge }
  const feeRateSatVb = await settlementFeeRate(context)
  const preparedItems = await inTransaction(sql, (tx) =>
    prepareItems(context, tx, { ...common, feeRateSatVb }, input.items, coins),
  )
  await storePreflights(context, common, preparedItems)

  const stepOf = (layout: Layout, request: SigningRequest): Step => ({
    layout,
    ...request,
    signerScript: binding.ordinalsScript,
    publicKey: input.ordinalsPublicKey,
  })
  const recovery = buildRecovery(preparedItems.map(({ terms }) => terms))
  const [described] = describeSteps(context, [stepOf(recovery, recoveryRequest(preparedItems.length))])
  const { stepIndex: _, ...recoveryPsbt } = described!
  const listings = []
  for (const { anchorUtxoId, inscriptionId, terms } of preparedItems) {
    // Describing many items is slow.
    await yieldToEventLoop()
    const psbts = describeSteps(context, [
      stepOf(buildTransfer(terms), TRANSFER_REQUEST),
      stepOf(buildSaleLeg(terms), LEG_REQUEST),
    ]).map((step) => ({ ...step, inscriptionId }))
    listings.push({ inscriptionId, anchorUtxoId, generation: terms.generation, psbts })
  }
  const replaces = replaced.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId }))
  return { listings, recoveryPsbt, ...(replaces.length > 0 ? { replaces } : {}), ...otherContents }
}

interface Common {
  collection: CollectionRow
  binding: BindingRow
  seller: KeySpend
  escrowForm: EscrowForm
  charge: Charge
}

type PreparedItem = Pick<Prepared, 'inscriptionId' | 'priceSats' | 'terms' | 'economics'> & {
  anchorUtxoId: string
}

async function prepareItems(
  context: Context,
  tx: Transaction,
  { collection, binding, seller, escrowForm, charge, feeRateSatVb }: Common & { feeRateSatVb: number },
  items: BodyOf<typeof operations.preflightListing>['items'],
  coins: readonly Coin[],
): Promise<PreparedItem[]> {
  const { walletBindingId } = binding
  const existingTransfers = new Map<string, ListingTerms>()
  for (const [i, { inscriptionId }] of items.entries()) {
    const transferKey = { inscriptionId, walletBindingId, coin: coins[i]!, escrowForm }
    const existing = await findReusableTransfer(tx, transferKey)
    if (existing) existingTransfers.set(inscriptionId, unpack<ListingTerms>(existing))
  }
  const transfers = items.length - existingTransfers.size
  const anchors = await nameAnchors(context, tx, charge, {
    count: items.length + transfers,
    newTransfers: transfers > 0 ? { feeRateSatVb } : null,
  })
  const preparedItems: PreparedItem[] = []
  for (const [i, { inscriptionId, priceSats }] of items.entries()) {
    const anchorUtxoId = randomUUID()
    const recoveryCoin = anchors.pop()!
    const economics = tradeEconomics(context, collection, priceSats, 'listing')
    const terms: ListingTerms = {
      inscriptionCoin: coins[i]!,
      seller,
      marketKey: context.market.cosignKey,
      escrowForm,
      movedTo: null,
      generation: 0,
      anchor: existingTransfers.get(inscriptionId)?.anchor ?? anchors.pop()!,
      recoveryCoin,
      market: context.market.coins,
      payoutSats: economics.sellerReceiveSats + coins[i]!.valueSats,
      payoutScript: binding.paymentScript,
    }
    preparedItems.push({ anchorUtxoId, inscriptionId, priceSats, terms, economics })
  }
  return preparedItems
}

/** Sets the generations of the legs, and stores a preflight for each item. */
async function storePreflights(
  context: Context,
  { collection, binding, escrowForm }: Common,
  items: readonly PreparedItem[],
): Promise<void> {
  // For new transfers too: a restored database may lack coins that the signer knows.
  const coins = items.map(({ terms }) => escrowCoinOf(terms))
  await issueGenerations(context, coins, async (tx, generations) => {
    for (const [i, { anchorUtxoId, ...item }] of items.entries()) {
      item.terms.generation = generations[i]!
      const prepared: Prepared = { ...item, recoveryHandle: randomUUID() }
      await savePreflight(context, tx, {
        handle: anchorUtxoId,
        kind: 'listing',
        walletBindingId: binding.walletBindingId,
        subject: item.inscriptionId,
        request: { collectionId: collection.collectionId, escrowForm },
        prepared,
      })
    }
  })
}

const chargeOf = async (context: Context, session: Session, binding: BindingRow): Promise<Charge> => ({
  use: 'listing',
  walletBindingId: binding.walletBindingId,
  takenBy: await context.funding.takerOf(session, binding),
})

/** Validates a request. Returns its collection, binding, escrow form and key. */
async function checkRequest(context: Context, call: SessionCall<typeof operations.preflightListing>) {
  const { collection, binding } = await getTrader(context, call)
  const { ordinalsPublicKey, escrowForm = 'published' } = call.body
  const seller = escrowOwnerOf(context, binding, ordinalsPublicKey, escrowForm)
  await checkItems(context, collection, call.body)
  return { collection, binding, escrowForm, seller }
}

export const submitListing: UseCase<typeof operations.submitListing> = async (context, call) => {
  const { sql } = context
  const { session, body: input } = call
  const { collection, binding, escrowForm, seller } = await checkRequest(context, call)
  checkHandles(input)

  const { collectionId } = collection
  const preflightKey = {
    handles: input.anchors.map(({ anchorUtxoId }) => anchorUtxoId.toLowerCase()),
    field: 'anchorUtxoId',
    kind: 'listing',
    walletBindingId: binding.walletBindingId,
    echoes: { collectionId, escrowForm },
  } as const
  const open = (tx: Transaction) => openPreflights<Prepared, Listed>(context, tx, preflightKey)
  const preflights = await inTransaction(sql, open)
  checkPrepared(preflights, input, seller)
  const answered = answerOf(preflights)
  if (answered) {
    await sendFloors(context)
    await refuseEnded(sql, answered.listings)
    return answered
  }
  const batch = preflights.map(({ prepared }) => prepared.terms)
  rejectSharedCoins(batch.map((terms) => terms.inscriptionCoin))
  const signatures = await checkSignatures(input, batch)
  const placements: Pick<ListingRow, 'satOffset' | 'state'>[] = []
  for (const [i, terms] of batch.entries()) {
    const { inscriptionId } = input.items[i]!
    const { coin, satOffset, confirmed } = await loadOwnedCoin(context, binding, inscriptionId, {
      pending: true,
    })
    placements.push({ satOffset, state: confirmed ? 'buyable' : 'pending_public' })
    if (formatOutpoint(coin) !== formatOutpoint(terms.inscriptionCoin))
      throw conflict(
        'preflight-outdated',
        `${inscriptionId} has moved since the preflight. Request a new preflight.`,
      )
  }

  await rejectBelowBestBid(context, session, collection, input.items)
  const charge = await chargeOf(context, session, binding)
  const { durationDays } = input
  const { isNew, ...answer } = await inSigningTransaction(sql, async (tx) => {
    const locked = await open(tx)
    const storedAnswer = answerOf(locked)
    if (storedAnswer) return { ...storedAnswer, isNew: false }
    await lockMempoolView(tx)
    const common = { binding, charge, collectionId, durationDays, recoveryBatch: randomUUID() }
    const listings: Listed[] = []
    for (const [i, { handle, prepared }] of locked.entries()) {
      const listed = await writeListing(context, tx, common, {
        handle,
        prepared,
        ...signatures[i]!,
        ...placements[i]!,
        recoveryIndex: i,
      })
      await setPreflightAnswer(tx, handle, listed)
      listings.push(listed)
    }
    // Before the commit, so that the new price is never visible while older legs are valid.
    const raised = batch.filter((terms) => terms.generation > 0)
    if (raised.length > 0)
      await context.signer.raiseFloors(
        raised.map((terms) => ({ outpoint: formatOutpoint(escrowCoinOf(terms)), floor: terms.generation })),
      )
    // A spend since the checks may affect the new listings.
    const inscriptionIds = listings.map(({ inscriptionId }) => inscriptionId)
    await recheckListings(tx, { inscriptionIds }, { now: context.clock() })
    return { listings, isNew: true }
  })
  if (isNew)
    for (const [i, { listingId, inscriptionId }] of answer.listings.entries())
      context.log.info({ listingId, inscriptionId, priceSats: preflights[i]!.prepared.priceSats }, 'listing')
  // A database restored from a backup could otherwise make the replaced listings active again.
  await sendFloors(context)
  return answer
}

/** Returns the stored response of a repeated submit. */
function answerOf(preflights: readonly OpenPreflight<Prepared, Listed>[]): Answer | null {
  const listings = preflights.flatMap(({ answer }) => (answer ? [answer] : []))
  return listings.length === preflights.length ? { listings } : null
}

/** Throws `conflict` if a listing of a repeated submit has ended without a sale. */
async function refuseEnded(sql: Queryable, listings: readonly { listingId: string }[]): Promise<void> {
  const rows = await listListingsById(
    sql,
    listings.map((each) => each.listingId),
  )
  const ended = rows.find((row) => !LIVE.includes(row.state) && row.state !== 'sold')
  if (ended)
    throw conflict(
      'listing-ended',
      `Listing ${ended.listingId} has ended (${ended.state}). Request a new preflight to list ${ended.inscriptionId} again.`,
    )
}
