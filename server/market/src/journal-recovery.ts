import { inTransaction, type Queryable } from '@ordbook/db/driver/connect.ts'
import {
  endRevokedBids,
  moveCollectionOffer,
  revokeCancelled,
  revokeFilling,
} from './collection-offers/lifecycle.ts'
import { forgetRevocations, listUnended } from './collection-offers/queries.ts'
import type { Context } from './context.ts'
import { sendFloors } from './escrows/floors.ts'
import { raiseAllFloors } from './escrows/queries.ts'
import type { JournalName } from './keys/checkpoint-queries.ts'
import { endRevoked } from './listings/recover.ts'
import { moveOffer } from './offers/lifecycle.ts'
import { listUnexpiredOffers } from './offers/queries.ts'
import { endRevokedCounters } from './offers/recover.ts'
import type { OfferState } from './offers/states.ts'
import { listUnexpiredAcceptances } from './proposals/acceptance-queries.ts'
import { endProposal, moveAcceptance } from './proposals/lifecycle.ts'
import { listUnexpiredProposals } from './proposals/own-queries.ts'
import { type Expiring, findRevoked, revokeOrders } from './settlements/revocations.ts'

const LOST = 'the key journal with the cancels was lost. Create the order again.'
const CAME_BACK = 'it was cancelled after the backup that the database was restored from'

type Recovering = Pick<Context, 'sql' | 'clock' | 'signer' | 'guardian' | 'log'>

/** States of an offer or an acceptance that may still lead to a trade. */
const OPEN: readonly OfferState[] = ['active', 'invalidated']

/**
 * Reconciles database and journals. Ends the orders that signer or guardian know as cancelled, which a restored database does not. Writes
 * cancels to the signer's journal that a crash prevented.
 */
export async function endRevokedOrders(context: Recovering): Promise<void> {
  const { sql, clock, log } = context
  const listings = await endRevoked(context, CAME_BACK)
  const counters = await endRevokedCounters(context, CAME_BACK)
  const bids = await endRevokedBids(context, CAME_BACK)
  await revokeOrders(context, await listSigned(sql, ['cancelled'], clock()))
  const others = await endRevokedSigned(context, CAME_BACK)
  if (listings + counters + bids + others > 0)
    log.warn(
      { listings, counters, collectionOffers: bids, offersProposalsAcceptances: others },
      'this database was brought back from an older state: orders ended that were taken back since',
    )
}

/**
 * Ends the orders that depend on a lost journal. The lost journal had the cancels; another journal or an older copy would allow them again.
 * Raises the minimum generations so that no earlier price is signed. Idempotent: an interrupted start repeats it.
 */
export async function endOrdersOfLost(
  { sql, signer, guardian, log }: Omit<Recovering, 'clock'>,
  lost: readonly JournalName[],
): Promise<void> {
  const clock = () => new Date()
  const context = { sql, clock, signer, guardian, log }
  if (lost.length > 0) log.warn({ lost }, 'key journal lost or outdated: ending all orders that depend on it')
  if (lost.includes('signer journal')) {
    await raiseAllFloors(sql)
    await sendFloors({ sql, signer })
    await endRevoked(context, LOST)
    await endRevokedCounters(context, LOST)
    // A settlement that was stored and not sent yet fails with its order.
    await revokeOrders(context, await listSigned(sql, [...OPEN, 'accepting', 'cancelled'], clock()))
    await endRevokedSigned(context, LOST)
  }
  if (lost.includes('guardian journal')) {
    await forgetRevocations(sql)
    for (const { offerId } of await listUnended(sql))
      await inTransaction(sql, (tx) =>
        moveCollectionOffer(tx, offerId, 'cancelled', { reason: LOST, now: clock() }),
      )
    await revokeFilling({ sql, clock, guardian })
    await revokeCancelled({ sql, clock, guardian })
  }
}

/** The orders that need no signature of the market, in these states. */
async function listSigned(sql: Queryable, states: readonly OfferState[], now: Date): Promise<Expiring[]> {
  const proposals = states.filter((state) => state === 'active' || state === 'cancelled')
  return [
    ...(await listUnexpiredOffers(sql, states, now)),
    ...(await listUnexpiredAcceptances(sql, states, now)),
    ...(await Promise.all(proposals.map((state) => listUnexpiredProposals(sql, state, now)))).flat(),
  ]
}

/** Ends the given orders that the signer knows as cancelled. Returns their number. */
async function endRevokedSigned(
  { sql, clock, signer }: Pick<Context, 'sql' | 'clock' | 'signer'>,
  reason: string,
): Promise<number> {
  const now = clock()
  const why = { reason, now }
  const revokedOf = async (orders: readonly Expiring[]) =>
    findRevoked(
      { signer },
      orders.map(({ id }) => id),
    )
  const offers = await revokedOf(await listUnexpiredOffers(sql, OPEN, now))
  for (const id of offers) await inTransaction(sql, (tx) => moveOffer(tx, id, 'cancelled', why))
  const acceptances = await revokedOf(await listUnexpiredAcceptances(sql, OPEN, now))
  for (const id of acceptances) await inTransaction(sql, (tx) => moveAcceptance(tx, id, 'cancelled', why))
  const proposals = await revokedOf(await listUnexpiredProposals(sql, 'active', now))
  for (const id of proposals) await inTransaction(sql, (tx) => endProposal(tx, id, 'cancelled', now))
  return offers.length + acceptances.length + proposals.length
}
