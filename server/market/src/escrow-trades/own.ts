import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { escrowCoinOf, type TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { conflict, forbidden, missing } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { findInscription } from '@ordbook/indexer/inscriptions/queries.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { type EscrowRow, findLeaving, findSettling, listEscrows, lockEscrows } from '../escrows/queries.ts'
import { escrowOwnerOf } from '../listings/owner.ts'
import { lockLiveListings } from '../listings/queries.ts'
import { assertUnique } from '../preflight/duplicates.ts'

export interface OwnEscrow {
  row: EscrowRow
  terms: TransferTerms
  /** Offset of the inscription's sat in the coin. */
  satOffset: number
}

export interface OwnRequest {
  walletBindingId: string
  ordinalsPublicKey: string
}

/** Returns the escrow coins of a request. Throws unless they are distinct, confirmed and unspent coins of the caller. */
export async function ownEscrows(
  context: Context,
  session: Session,
  input: OwnRequest,
  coins: readonly Outpoint[],
): Promise<{ binding: BindingRow; escrows: OwnEscrow[] }> {
  const { sql, node } = context
  const binding = await getOwnBinding(context, session, input.walletBindingId)
  assertUnique(coins.map(formatOutpoint), 'escrow coin', 'the request')
  const rows = await listEscrows(sql, coins)
  const escrows: OwnEscrow[] = []
  for (const coin of coins) {
    const name = formatOutpoint(coin)
    const row = rows.find((each) => each.txid === coin.txid && each.vout === coin.vout)
    if (!row) throw missing('escrow-unknown', `Escrow coin ${name} not found. See GET /escrows.`)
    if (!equalBytes(row.sellerScript, binding.ordinalsScript))
      throw forbidden('inscription-not-yours', `Escrow coin ${name} belongs to another ordinals address.`)
    const terms = unpack<TransferTerms>(row.terms)
    const owner = escrowOwnerOf(context, binding, input.ordinalsPublicKey, terms.escrowForm)
    const unspent = await node.txOut(coin)
    if (!unspent)
      throw conflict('escrow-spent', `Escrow coin ${name} is spent or unconfirmed. See GET /escrows.`)
    if (unspent.confirmations < 1 || row.madeHeight === null)
      throw conflict(
        'escrow-unconfirmed',
        `Escrow coin ${name} is not confirmed yet. Retry after the next block.`,
      )
    if (!equalBytes(unspent.script, escrowCoinOf(terms).script))
      throw new Error(`the script of escrow coin ${name} does not match its stored terms`)
    const location = await findInscription(sql, row.inscriptionId)
    if (location?.txid !== coin.txid || location.vout !== coin.vout)
      throw conflict('escrow-spent', `${row.inscriptionId} is not in escrow coin ${name}. See GET /escrows.`)
    escrows.push({ row, terms: { ...terms, seller: owner }, satOffset: location.satOffset })
  }
  return { binding, escrows }
}

/** Locks the active listings of escrows, then the escrows, in the order of purchases. Throws `conflict` if an escrow is in use. */
export async function lockFree(tx: Transaction, escrows: readonly OwnEscrow[]): Promise<EscrowRow[]> {
  const inscriptionIds = escrows.map(({ row }) => row.inscriptionId)
  await lockLiveListings(tx, inscriptionIds)
  const rows = await lockEscrows(
    tx,
    escrows.map(({ row }) => row),
  )
  await rejectInTrade(tx, escrows)
  return rows
}

/** Throws `conflict` if an escrow is in use. */
export async function rejectInTrade(
  sql: Parameters<typeof findSettling>[0],
  escrows: readonly OwnEscrow[],
): Promise<void> {
  const settling = await findSettling(
    sql,
    escrows.map(({ row }) => row.inscriptionId),
  )
  if (settling) throw conflict('inscription-in-trade', `A purchase of ${settling} is in progress.`)
  const leaving = await findLeaving(
    sql,
    escrows.map(({ row }) => row),
  )
  if (leaving)
    throw conflict(
      'inscription-leaving-escrow',
      `Transaction ${leaving.leavingTxid} is already withdrawing escrow coin ${formatOutpoint(leaving)}.`,
    )
}
