import { MOST_HASHES } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'
import { inTransaction, type Transaction } from '../db/connect.ts'
import { deleteBacking } from '../settlements/backing-queries.ts'
import type { DependentOrders } from '../settlements/dependent-orders.ts'
import {
  isRevivable,
  listExpired,
  listFilling,
  listFinished,
  listRevocable,
  listUnended,
  lockActiveOf,
  moveCollectionOfferState,
  type Revocable,
  setRevoked,
} from './queries.ts'
import { type CollectionOfferState, MOVES } from './states.ts'

/**
 * Moves an offer; false when its state did not allow the move. An offer that ends loses its backing coins, unless it may come back
 * with them.
 */
export async function moveCollectionOffer(
  tx: Transaction,
  offerId: string,
  to: CollectionOfferState,
  why: { reason: string | null; now: Date },
): Promise<boolean> {
  const live = to === 'active' || to === 'filling'
  const { reason, now } = why
  const moved = await moveCollectionOfferState(tx, offerId, MOVES[to], to, {
    reason,
    endedAt: live ? null : now,
  })
  if (moved && !live && to !== 'invalidated') await deleteBacking(tx, [offerId])
  return moved
}

/** Ends offers that have expired, and revokes cancelled ones at the guardian. */
export async function finishCollectionOffers({ sql, clock, time, guardian }: Context): Promise<void> {
  for (const { offerId, expiresAt } of time.isSettled() ? await listExpired(sql, clock()) : [])
    await inTransaction(sql, (tx) =>
      moveCollectionOffer(tx, offerId, 'expired', { reason: 'its time is over', now: expiresAt }),
    )
  await revokeCancelled({ sql, clock, guardian })
}

/** Revokes cancelled offers at the guardian. */
export async function revokeCancelled({
  sql,
  clock,
  guardian,
}: Pick<Context, 'sql' | 'clock' | 'guardian'>): Promise<void> {
  for (;;) {
    const revocable = await listRevocable(sql)
    if (revocable.length === 0) return
    await revoke({ sql, clock, guardian }, revocable)
  }
}

/**
 * Ends the offers that the guardian has revoked. A database from a backup does not know that their makers took them back, so this
 * runs at each start.
 */
export async function endRevokedOffers({
  sql,
  clock,
  guardian,
}: Pick<Context, 'sql' | 'clock' | 'guardian'>): Promise<void> {
  const unended = await listUnended(sql)
  for (let at = 0; at < unended.length; at += MOST_HASHES) {
    const part = unended.slice(at, at + MOST_HASHES)
    const revoked = new Set(await guardian.revoked(part.map(({ secretHash }) => secretHash)))
    for (const { offerId } of part.filter(({ secretHash }) => revoked.has(secretHash)))
      await inTransaction(sql, (tx) =>
        moveCollectionOffer(tx, offerId, 'cancelled', {
          reason: 'ended before the database was restored from a backup',
          now: clock(),
        }),
      )
  }
}

/** Has the guardian sign no fill of an offer that is being filled, should the present one fail: it cannot come back. */
export async function revokeFilling(context: Pick<Context, 'sql' | 'clock' | 'guardian'>): Promise<void> {
  await revoke(context, await listFilling(context.sql))
}

async function revoke(
  { sql, clock, guardian }: Pick<Context, 'sql' | 'clock' | 'guardian'>,
  offers: readonly Revocable[],
): Promise<void> {
  await guardian.revoke(offers.map((each) => each.secretHash))
  await setRevoked(
    sql,
    offers.map((each) => each.offerId),
    clock(),
  )
}

/** An offer ends when its coin is spent, and comes back with it. */
export const dependentCollectionOffers: DependentOrders = {
  lockActive: lockActiveOf,
  listFinished,
  end: (tx, offerId, why) => moveCollectionOffer(tx, offerId, 'invalidated', why),
  async revive(tx, offerId, now) {
    if (await isRevivable(tx, offerId, now))
      await moveCollectionOffer(tx, offerId, 'active', { reason: null, now })
  },
}
