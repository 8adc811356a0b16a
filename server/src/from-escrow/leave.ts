import type { Context } from '../context.ts'
import { inTransaction, type Transaction } from '../db/connect.ts'
import type { OpenDraft } from '../engine/drafts.ts'
import { conflict } from '../errors.ts'
import { tellFloors } from '../escrows/floors.ts'
import { raiseFloor, setLeaving } from '../escrows/queries.ts'
import { moveListing } from '../listings/lifecycle.ts'
import { lockLiveListing } from '../listings/queries.ts'
import { sendWritten } from '../market-coins/pool.ts'
import { findWritten } from '../market-coins/transaction-queries.ts'
import type { OwnEscrow } from './own.ts'

/** Ends the live listings of escrows that leave. Throws conflict where one is being bought. */
export async function endListings(
  tx: Transaction,
  escrows: readonly OwnEscrow[],
  why: { reason: string; now: Date },
): Promise<void> {
  for (const { row } of escrows) {
    const live = await lockLiveListing(tx, row.inscriptionId)
    if (live && !(await moveListing(tx, live.listingId, 'cancelled', why)))
      throw conflict(`${row.inscriptionId} is being bought right now`)
  }
}

/** Notes the transaction that takes escrows out; from here no leg on them is signed any more. */
export async function writeLeaving(
  tx: Transaction,
  escrows: readonly OwnEscrow[],
  txid: string,
): Promise<void> {
  for (const { row } of escrows) await raiseFloor(tx, row)
  await setLeaving(
    tx,
    escrows.map(({ row }) => row),
    txid,
  )
}

/** Sends what a submit has written, and gives its answer. Throws conflict where the network refuses it: its coins are free again. */
export async function sendLeaving<Answer extends { txid: string }>(
  context: Context,
  open: (tx: Transaction) => Promise<OpenDraft<unknown, Answer>>,
): Promise<Answer> {
  const { sql, log } = context
  const { answer } = await inTransaction(sql, open)
  await tellFloors(context).catch((error: unknown) =>
    log.warn({ err: error }, 'the signer has not heard yet of escrows that leave'),
  )
  const written = await findWritten(sql, answer!.txid)
  if (written?.state === 'intended') await sendWritten(context, { ...written, hex: written.rawHex })
  if ((await findWritten(sql, answer!.txid))?.state === 'failed')
    throw conflict(`The network refuses ${answer!.txid}: prepare it again`)
  return answer!
}
