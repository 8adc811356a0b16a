import { conflict } from '@ordbook/db/process/errors.ts'
import { MAX_REVOKED, type Revocation } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'

/**
 * Cancels of offers, proposals and acceptances. They settle without a signature from the market, so a restored database could
 * reactivate them. Cancels are therefore also stored in the signer's journal.
 */
type RevocationContext = Pick<Context, 'signer'>

export interface Expiring {
  id: string
  expiresAt: Date
}

export const revocationOf = ({ id, expiresAt }: Expiring): Revocation => ({
  id,
  expiresAt: expiresAt.getTime(),
})

/** Stores cancels in the signer's journal. A cancel request must not succeed before this. */
export async function revokeOrders(
  { signer }: RevocationContext,
  orders: readonly Expiring[],
): Promise<void> {
  for (const batch of partsOf(orders)) await signer.revoke(batch.map(revocationOf))
}

/** Returns the orders that the signer's journal lists as cancelled. */
export async function findRevoked({ signer }: RevocationContext, ids: readonly string[]): Promise<string[]> {
  const revoked: string[] = []
  for (const batch of partsOf(ids)) revoked.push(...(await signer.revoked(batch)))
  return revoked
}

/** Throws `conflict` if the signer's journal lists an order as cancelled. */
export async function rejectRevoked(context: RevocationContext, ids: readonly string[]): Promise<void> {
  if ((await findRevoked(context, ids)).length > 0)
    throw conflict('offer-not-active', 'This order was cancelled by its maker and can no longer be accepted.')
}

/** Half of the time for which the signer keeps a cancel. After this time a package is not broadcast for the first time. */
const SEND_WINDOW_MILLISECONDS = 12 * 3_600_000

/** Returns orders whose packages must not be broadcast for the first time. */
export async function findUnsendable(
  { signer, clock }: Pick<Context, 'signer' | 'clock'>,
  orders: readonly Expiring[],
): Promise<string[]> {
  const since = clock().getTime() - SEND_WINDOW_MILLISECONDS
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
