import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { Context } from '../context.ts'
import { raiseFloor } from '../escrows/queries.ts'
import { wasWritten } from '../market-coins/ledger-queries.ts'
import { releaseCoins, retireCoins } from '../market-coins/queries.ts'
import { type Guarantee, insertOrderEvent } from './log-queries.ts'
import { isInTrade, lockListingRow, setInvalidatedHeight } from './placement-queries.ts'
import { listExpired, listListingsById, moveListingState } from './queries.ts'
import { LIVE, type ListingState, MOVES } from './states.ts'

/**
 * Changes the state of a listing and logs the reason. Returns false if the move is not allowed. An ended listing's anchor is retired, and
 * the jobs spend it to void the transfer. After `invalidated` the anchor is kept for some blocks, because a reorg may revive the listing.
 * `floor` is the lowest generation that the signer may still sign, by default the next one.
 */
export async function moveListing(
  tx: Transaction,
  listingId: string,
  to: ListingState,
  why: { reason: string; now: Date; height?: number; floor?: number },
): Promise<boolean> {
  const ended = !LIVE.includes(to)
  // Must not end a listing whose purchase is in progress.
  if (to === 'cancelled' || to === 'expired' || to === 'replaced') {
    await lockListingRow(tx, listingId)
    if (await isInTrade(tx, listingId)) return false
  }
  const from = await moveListingState(tx, listingId, MOVES[to], to, ended ? why.now : null)
  if (!from) return false
  const { reason, now: occurredAt, height = null } = why
  // 'impossible': a block spent the transfer's coin. 'refused': the market does not co-sign.
  const guarantee: Guarantee | null =
    !ended || to === 'sold' ? null : to === 'invalidated' ? 'impossible' : 'refused'
  await insertOrderEvent(tx, {
    listingId,
    fromState: from,
    toState: to,
    reason,
    guarantee,
    height,
    occurredAt,
  })
  if (ended) {
    const [listing] = await listListingsById(tx, [listingId])
    if (to === 'invalidated') await setInvalidatedHeight(tx, listingId, height)
    else if (to !== 'sold') {
      await retireCoins(tx, listing!.anchorUtxoId, occurredAt)
      await raiseFloor(tx, { txid: listing!.transferTxid, vout: listing!.escrowVout }, why.floor)
    }
    const { transferHeight, transferTxid } = listing!
    if (to === 'sold' || (transferHeight === null && !(await wasWritten(tx, transferTxid))))
      await releaseCoins(tx, listing!.recoveryHandle)
  }
  return true
}

export async function noteListing(
  tx: Transaction,
  { listingId, state }: { listingId: string; state: ListingState },
  note: { reason: string; now: Date; guarantee?: Guarantee; height?: number },
): Promise<void> {
  const { reason, now: occurredAt, guarantee = null, height = null } = note
  await insertOrderEvent(tx, {
    listingId,
    fromState: state,
    toState: state,
    reason,
    guarantee,
    height,
    occurredAt,
  })
}

export async function expireListings({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  const now = clock()
  for (const { listingId, expiresAt } of await listExpired(sql, now))
    await inTransaction(sql, (tx) =>
      moveListing(tx, listingId, 'expired', { reason: 'its duration has ended', now: expiresAt }),
    )
}
