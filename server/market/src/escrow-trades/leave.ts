import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inSigningTransaction, inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { sendFloors } from '../escrows/floors.ts'
import { raiseFloors, setLeaving } from '../escrows/queries.ts'
import { moveListing } from '../listings/lifecycle.ts'
import { lockLiveListing } from '../listings/queries.ts'
import { sendWritten } from '../market-coins/pool.ts'
import { findWritten } from '../market-coins/transaction-queries.ts'
import { type OpenPreflight, openPreflight } from '../preflight/preflights.ts'
import { setPreflightAnswer } from '../preflight/queries.ts'
import { lockFree, type OwnEscrow, type OwnRequest, ownEscrows } from './own.ts'

export interface Leaving<Prepared, Answer> {
  handle: string
  kind: 'reclaim' | 'move'
  echoes: Readonly<Record<string, unknown>>
  /** Reason for ending the escrows' listings. */
  reason: string
  /** Runs the checks that need no locks. Returns a function that signs and stores the transaction. */
  prepare(
    prepared: Prepared,
    own: { binding: BindingRow; escrows: OwnEscrow[]; handle: string },
  ): Promise<(tx: Transaction, now: Date) => Promise<Answer>>
}

/**
 * Withdraws escrows: ends their listings, then stores and broadcasts the transaction. A repeated submit returns the same response. Throws
 * conflict if an escrow is in a trade or the network rejects the transaction.
 */
export async function submitLeaving<Prepared, Answer extends { txid: string }>(
  context: Context,
  { session, body: input }: { session: Session; body: OwnRequest & { escrows: readonly Outpoint[] } },
  { handle: requestedHandle, kind, echoes, reason, prepare }: Leaving<Prepared, Answer>,
): Promise<Answer> {
  const { sql, clock } = context
  const handle = requestedHandle.toLowerCase()
  const walletBindingId = input.walletBindingId.toLowerCase()
  const open = (tx: Transaction) =>
    openPreflight<Prepared, Answer>(context, tx, { handle, kind, walletBindingId, echoes })
  const preflight = await inTransaction(sql, open)
  if (!preflight.answer) {
    const own = await ownEscrows(context, session, input, input.escrows)
    const write = await prepare(preflight.prepared, { ...own, handle })
    const now = clock()
    await inSigningTransaction(sql, async (tx) => {
      if ((await open(tx)).answer) return
      await lockFree(tx, own.escrows)
      await endListings(tx, own.escrows, { reason, now })
      const answer = await write(tx, now)
      await writeLeaving(tx, own.escrows, answer.txid)
      await setPreflightAnswer(tx, handle, answer)
    })
  }
  return sendLeaving(context, open)
}

/** Cancels the active listings of withdrawn escrows. */
async function endListings(
  tx: Transaction,
  escrows: readonly OwnEscrow[],
  why: { reason: string; now: Date },
): Promise<void> {
  for (const { row } of escrows) {
    const live = await lockLiveListing(tx, row.inscriptionId)
    if (live && !(await moveListing(tx, live.listingId, 'cancelled', why)))
      throw conflict('inscription-in-trade', `A purchase of ${row.inscriptionId} is in progress.`)
  }
}

/** Records the withdrawal. Raises the generations, so that no more legs are signed. */
async function writeLeaving(tx: Transaction, escrows: readonly OwnEscrow[], txid: string): Promise<void> {
  await raiseFloors(
    tx,
    escrows.map(({ row }) => row),
  )
  await setLeaving(
    tx,
    escrows.map(({ row }) => row),
    txid,
  )
}

/** Broadcasts a submitted transaction. If the network rejects it, releases its coins. */
async function sendLeaving<Answer extends { txid: string }>(
  context: Context,
  open: (tx: Transaction) => Promise<OpenPreflight<unknown, Answer>>,
): Promise<Answer> {
  const { sql, log } = context
  const { answer } = await inTransaction(sql, open)
  await sendFloors(context).catch((error: unknown) =>
    log.warn(
      { err: error },
      'failed to send minimum generations of withdrawn escrows to the signer, jobs will retry',
    ),
  )
  const transaction = await findWritten(sql, answer!.txid)
  if (transaction?.state === 'intended')
    await sendWritten(context, { ...transaction, hex: transaction.rawHex })
  if ((await findWritten(sql, answer!.txid))?.state === 'failed')
    throw conflict(
      'preflight-outdated',
      `The network rejected transaction ${answer!.txid}. Request a new preflight.`,
    )
  return answer!
}
