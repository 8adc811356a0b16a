import type { Context } from '../context.ts'
import { inTransaction, type Transaction } from '../db/connect.ts'
import { raiseFloor } from '../escrows/queries.ts'
import { retireCoins, reviveCoins } from '../market-coins/queries.ts'
import { deleteBacking } from '../settlements/backing-queries.ts'
import type { DependentOrders } from '../settlements/dependent-orders.ts'
import {
  findRevivable,
  insertEvent,
  insertOffer,
  listExpiredOffers,
  listFinished,
  lockActiveOf,
  moveOfferState,
  type NewOffer,
  type OfferRow,
} from './queries.ts'
import { MOVES, type OfferState } from './states.ts'

/** Inserts an active offer. */
export async function openOffer(tx: Transaction, row: NewOffer): Promise<void> {
  await insertOffer(tx, row)
  await insertEvent(tx, row, { eventType: 'created', reason: null, occurredAt: row.createdAt })
}

/**
 * Moves an offer and records the reason. Returns the moved offer, or null when its state did not allow the move: another
 * transaction was faster. An offer that ends loses its backing coins, unless it may come back with them. The anchor of a counter
 * retires with it.
 */
export async function moveOffer(
  tx: Transaction,
  offerId: string,
  to: OfferState,
  why: { reason: string | null; now: Date },
): Promise<OfferRow | null> {
  const live = to === 'active' || to === 'accepting'
  const { reason, now } = why
  const moved = await moveOfferState(tx, offerId, MOVES[to], to, { reason, endedAt: live ? null : now })
  if (!moved || live) return moved
  if (to !== 'invalidated') await deleteBacking(tx, [offerId])
  await insertEvent(tx, moved, { eventType: to, reason, occurredAt: now })
  if (moved.anchorUtxoId && to !== 'accepted') await retireCoins(tx, moved.anchorUtxoId, now)
  // Only an offer that ended with its coins may come back. The market signs no other ended one.
  if (moved.transferTxid && to !== 'accepted' && to !== 'invalidated')
    await raiseFloor(tx, { txid: moved.transferTxid, vout: 0 })
  return moved
}

/** Ends offers that have expired. */
export async function expireOffers({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  for (const { offerId, expiresAt } of await listExpiredOffers(sql, clock()))
    await inTransaction(sql, (tx) =>
      moveOffer(tx, offerId, 'expired', { reason: 'its time is over', now: expiresAt }),
    )
}

/** An offer ends when its coin is spent, and comes back with it. */
export const dependentOffers: DependentOrders = {
  lockActive: lockActiveOf,
  listFinished,
  end: (tx, offerId, why) => moveOffer(tx, offerId, 'invalidated', why),
  async revive(tx, offerId, now) {
    const offer = await findRevivable(tx, offerId, now)
    if (!offer) return
    // A counter whose anchor the market has spent meanwhile cannot come back.
    if (offer.anchorUtxoId && !(await reviveCoins(tx, offer.anchorUtxoId, null))) return
    if (await moveOffer(tx, offerId, 'active', { reason: null, now }))
      await insertEvent(tx, offer, {
        eventType: 'created',
        reason: 'its coins are there again',
        occurredAt: now,
      })
  },
}
