import { randomUUID } from 'node:crypto'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { buildSaleLeg, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type * as operations from '@ordbook/contract/escrows.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { inSigningTransaction, inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { pack } from '@ordbook/db/driver/pack.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import type { BindingRow } from '../auth/queries.ts'
import { getCollectionById } from '../collections/inscriptions.ts'
import type { Context } from '../context.ts'
import { issueGenerations, sendFloors } from '../escrows/floors.ts'
import { raiseFloors } from '../escrows/queries.ts'
import { rejectBelowBestBid } from '../listings/below-bids.ts'
import { moveListing } from '../listings/lifecycle.ts'
import { insertOrderEvents } from '../listings/log-queries.ts'
import { insertListing, lockLiveListing } from '../listings/queries.ts'
import { recheckListings } from '../listings/recheck.ts'
import { openPreflight, savePreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { describeSteps, type Step, signaturesOf } from '../preflight/steps.ts'
import { type TradeEconomics, tradeEconomics } from '../settlements/economics.ts'
import type { UseCase } from '../use-case.ts'
import { lockFree, type OwnEscrow, ownEscrows, rejectInTrade } from './own.ts'

/**
 * Lists an inscription from escrow or changes its price, with a leg of the next generation. The signer rejects older generations before the
 * new listing is published.
 */
type Request = BodyOf<typeof operations.preflightRelist>
type Answer = AnswerOf<typeof operations.submitRelist>

interface Prepared {
  items: { terms: ListingTerms; economics: TradeEconomics; priceSats: number }[]
}

export const preflightRelist: UseCase<typeof operations.preflightRelist> = async (context, call) => {
  const { sql, config } = context
  const { session, body: input } = call
  const { binding, escrows } = await ownEscrows(context, session, input, input.items)
  for (const { priceSats } of input.items)
    if (priceSats < config.listingMinSats)
      throw invalid('price-out-of-range', `items: priceSats must be at least ${config.listingMinSats}`)
  await rejectInTrade(sql, escrows)
  await refuseBelow(context, session, input, escrows)
  const relistId = randomUUID()
  const coins = escrows.map(({ row }) => row)
  const economics: TradeEconomics[] = []
  for (const [i, { collectionId }] of coins.entries()) {
    const collection = await getCollectionById(context, collectionId)
    economics.push(tradeEconomics(context, collection, input.items[i]!.priceSats, 'listing'))
  }
  const prepared = await issueGenerations(context, coins, async (tx, generations): Promise<Prepared> => {
    const items = escrows.map(({ terms }, i) => ({
      terms: {
        ...terms,
        generation: generations[i]!,
        recoveryCoin: terms.anchor,
        payoutSats: economics[i]!.sellerReceiveSats + terms.inscriptionCoin.valueSats,
        payoutScript: binding.paymentScript,
      },
      economics: economics[i]!,
      priceSats: input.items[i]!.priceSats,
    }))
    await savePreflight(context, tx, {
      handle: relistId,
      kind: 'relist',
      walletBindingId: binding.walletBindingId,
      request: canonical(input),
      prepared: { items },
    })
    return { items }
  })
  return {
    relistId,
    items: prepared.items.map(({ terms }, i) => ({
      txid: escrows[i]!.row.txid,
      vout: escrows[i]!.row.vout,
      inscriptionId: escrows[i]!.row.inscriptionId,
      escrowForm: terms.escrowForm,
      generation: terms.generation,
    })),
    steps: describeSteps(context, stepsOf(prepared, binding, input.ordinalsPublicKey)),
  }
}

export const submitRelist: UseCase<typeof operations.submitRelist> = async (context, call) => {
  const { sql, clock, signer } = context
  const { session, body: input } = call
  const { binding, escrows } = await ownEscrows(context, session, input, input.items)
  const preflightKey = {
    handle: input.relistId.toLowerCase(),
    kind: 'relist',
    walletBindingId: binding.walletBindingId,
    echoes: canonical(input),
  } as const
  const open = (tx: Transaction) => openPreflight<Prepared, Answer>(context, tx, preflightKey)
  const preflight = await inTransaction(sql, open)
  if (preflight.answer) return preflight.answer
  const legs = await signaturesOf(
    input.signedSteps,
    stepsOf(preflight.prepared, binding, input.ordinalsPublicKey),
  )
  await refuseBelow(context, session, input, escrows)
  const now = clock()
  const answer = await inSigningTransaction(sql, async (tx): Promise<Answer> => {
    const reopened = await open(tx)
    if (reopened.answer) return reopened.answer
    const rows = await lockFree(tx, escrows)
    await lockMempoolView(tx)
    const listings: Answer['listings'] = []
    for (const [i, { terms, priceSats }] of preflight.prepared.items.entries()) {
      const row = rows[i]!
      const { generation } = terms
      // A newer leg was published since the preflight, so the signer rejects this generation.
      if (generation < row.floor)
        throw conflict(
          'preflight-outdated',
          `Escrow coin ${formatOutpoint(row)} was relisted or withdrawn since the preflight. Request a new preflight.`,
        )
      const live = await lockLiveListing(tx, row.inscriptionId)
      const why = { reason: `listed again for ${priceSats} sats`, now, floor: generation }
      if (live && !(await moveListing(tx, live.listingId, 'replaced', why)))
        throw conflict('inscription-in-trade', `A purchase of ${row.inscriptionId} is in progress.`)
      await raiseFloors(tx, [row], generation)
      const listingId = randomUUID()
      const price = { ...preflight.prepared.items[i]!, legSignature: legs[i]![0]!, days: input.durationDays }
      await insertListing(tx, listingOf(row, escrows[i]!, binding, { listingId, now, ...price }))
      const reason = `listed for ${priceSats} sats from escrow coin ${formatOutpoint(row)}`
      const event = { fromState: null, toState: 'buyable' as const, reason, guarantee: null, height: null }
      await insertOrderEvents(tx, [{ ...event, listingId, occurredAt: now }])
      listings.push({ inscriptionId: row.inscriptionId, listingId })
    }
    // Before the commit, so that the new price is never visible while older legs are valid. After a crash in between, the next start ends
    // the old listing (`endRevoked`).
    await signer.raiseFloors(
      rows.map((row, i) => ({
        outpoint: formatOutpoint(row),
        floor: preflight.prepared.items[i]!.terms.generation,
      })),
    )
    await recheckListings(tx, { inscriptionIds: listings.map((each) => each.inscriptionId) }, { now })
    const newAnswer: Answer = { listings }
    await setPreflightAnswer(tx, preflightKey.handle, newAnswer)
    return newAnswer
  })
  await sendFloors(context)
  return answer
}

/** Returns a listing on a confirmed escrow coin. */
function listingOf(
  row: Awaited<ReturnType<typeof lockFree>>[number],
  { satOffset }: OwnEscrow,
  binding: BindingRow,
  {
    listingId,
    now,
    terms,
    economics,
    priceSats,
    legSignature,
    days,
  }: Prepared['items'][number] & { listingId: string; now: Date; legSignature: Uint8Array; days?: number },
): Parameters<typeof insertListing>[1] {
  return {
    listingId,
    anchorUtxoId: randomUUID(),
    recoveryHandle: randomUUID(),
    collectionId: row.collectionId,
    inscriptionId: row.inscriptionId,
    walletBindingId: binding.walletBindingId,
    sellerScript: row.sellerScript,
    priceSats,
    terms: pack(terms),
    economics: pack(economics),
    transferTxid: row.txid,
    escrowVout: row.vout,
    transferHeight: row.madeHeight,
    generation: terms.generation,
    transferSignature: row.transferSignature,
    legSignature,
    recoverySignature: null,
    recoveryBatch: listingId,
    recoveryIndex: 0,
    satOffset,
    coinTxid: terms.movedTo ? row.txid : terms.inscriptionCoin.txid,
    coinVout: terms.movedTo ? row.vout : terms.inscriptionCoin.vout,
    state: 'buyable',
    listedAt: now,
    expiresAt: days ? new Date(now.getTime() + days * 86_400_000) : null,
  }
}

async function refuseBelow(
  context: Context,
  session: Session,
  { items }: Request,
  escrows: readonly OwnEscrow[],
): Promise<void> {
  for (const [i, { row }] of escrows.entries()) {
    const { inscriptionId } = row
    const collection = await getCollectionById(context, row.collectionId)
    await rejectBelowBestBid(context, session, collection, [
      { inscriptionId, priceSats: items[i]!.priceSats },
    ])
  }
}

const canonical = ({ ordinalsPublicKey, items }: Request) => ({
  ordinalsPublicKey,
  items: items.map(({ txid, vout, priceSats }) => ({ txid, vout, priceSats })),
})

function stepsOf({ items }: Prepared, binding: BindingRow, publicKey: string): Step[] {
  return items.map(({ terms }) => ({
    layout: buildSaleLeg(terms),
    indexes: [0],
    sighash: SIGHASH.SINGLE_ANYONECANPAY,
    signerScript: binding.ordinalsScript,
    publicKey,
  }))
}
