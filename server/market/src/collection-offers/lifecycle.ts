import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { MOST_HASHES } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'
import { backedOrders } from '../settlements/backed-orders.ts'
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

/** Ends offers that have expired, and revokes cancelled ones at the guardian. */
export async function finishCollectionOffers({ sql, clock, time, guardian }: Context): Promise<void> {
  if (time.isSettled()) await orders.expire({ sql, clock })
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
