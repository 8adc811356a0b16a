import { inTransaction } from '@ordbook/db/driver/connect.ts'
import type { Context } from '../context.ts'
import { backedOrders } from '../settlements/backed-orders.ts'
import { partsOf, revocationOf } from '../settlements/revocations.ts'
import {
  isRevivable,
  listFilling,
  listRevocable,
  listUnended,
  type Revocable,
  setRevoked,
} from './queries.ts'
import { type CollectionOfferState, MOVES } from './states.ts'

const orders = backedOrders<CollectionOfferState>({ table: 'collection_offers', moves: MOVES, isRevivable })

export const {
  move: moveCollectionOffer,
  end: endCollectionOffer,
  dependents: dependentCollectionOffers,
} = orders

export async function finishCollectionOffers({ sql, clock, time, guardian }: Context): Promise<void> {
  if (time.isSettled()) await orders.expire({ sql, clock })
  await revokeCancelled({ sql, clock, guardian })
}

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

/** Cancels offers that the guardian has revoked. A restored database may list them as active. Returns their number. */
export async function endRevokedBids(
  { sql, clock, guardian }: Pick<Context, 'sql' | 'clock' | 'guardian'>,
  reason: string,
): Promise<number> {
  let count = 0
  for (const batch of partsOf(await listUnended(sql))) {
    const revoked = new Set(await guardian.revoked(batch.map(({ secretHash }) => secretHash)))
    count += revoked.size
    for (const { offerId } of batch.filter(({ secretHash }) => revoked.has(secretHash)))
      await inTransaction(sql, (tx) =>
        moveCollectionOffer(tx, offerId, 'cancelled', { reason, now: clock() }),
      )
  }
  return count
}

/** Revokes offers that are being filled, so that the guardian signs no second fill. */
export async function revokeFilling(context: Pick<Context, 'sql' | 'clock' | 'guardian'>): Promise<void> {
  await revoke(context, await listFilling(context.sql))
}

async function revoke(
  { sql, clock, guardian }: Pick<Context, 'sql' | 'clock' | 'guardian'>,
  offers: readonly Revocable[],
): Promise<void> {
  for (const batch of partsOf(offers)) {
    await guardian.revoke(
      batch.map(({ secretHash, expiresAt }) => revocationOf({ id: secretHash, expiresAt })),
    )
    await setRevoked(
      sql,
      batch.map(({ offerId }) => offerId),
      clock(),
    )
  }
}
