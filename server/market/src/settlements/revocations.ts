import { conflict } from '@ordbook/db/process/errors.ts'
import { MAX_REVOKED, type Revocation } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'

/**
 * Cancels of offers, proposals and acceptances. The signatures of their makers are in the database and need no signature of the market, so
 * a restored database would revive them. The signer's journal, which all servers of a market can reach, stores the cancels too.
 */
type Keeper = Pick<Context, 'signer'>

/** An order and the time at which it expires. */
export interface Expiring {
  id: string
  expiresAt: Date
}

export const revocationOf = ({ id, expiresAt }: Expiring): Revocation => ({
  id,
  expiresAt: expiresAt.getTime(),
})

/** Has the signer remember that orders were cancelled. A cancel is answered only after this. */
export async function revokeOrders({ signer }: Keeper, orders: readonly Expiring[]): Promise<void> {
  for (const part of partsOf(orders)) await signer.revoke(part.map(revocationOf))
}

/** The ids among these that the signer knows as cancelled. */
export async function findRevoked({ signer }: Keeper, ids: readonly string[]): Promise<string[]> {
  const revoked: string[] = []
  for (const part of partsOf(ids)) revoked.push(...(await signer.revoked(part)))
  return revoked
}

/** Throws conflict if one of these orders was cancelled, which a restored database may not know. */
export async function refuseRevoked(keeper: Keeper, ids: readonly string[]): Promise<void> {
  if ((await findRevoked(keeper, ids)).length > 0)
    throw conflict('offer-not-active', 'Its maker has taken this back: it can no longer be accepted')
}

/**
 * Half of the time for which the signer remembers a cancel after the order has expired. A package that was stored and not sent by then is
 * not sent any more, since the signer may have forgotten that the order was cancelled.
 */
const REMEMBERED_MILLISECONDS = 12 * 3_600_000

/** Returns the ids of orders that must not be sent for the first time: cancelled, or expired long ago. */
export async function findUnsendable(
  { signer, clock }: Pick<Context, 'signer' | 'clock'>,
  orders: readonly Expiring[],
): Promise<string[]> {
  const since = clock().getTime() - REMEMBERED_MILLISECONDS
  const expired = orders.filter(({ expiresAt }) => expiresAt.getTime() < since).map(({ id }) => id)
  const revoked = await findRevoked(
    { signer },
    orders.map(({ id }) => id),
  )
  return [...new Set([...expired, ...revoked])]
}

export function* partsOf<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += MAX_REVOKED) yield all.slice(at, at + MAX_REVOKED)
}
