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

const JOURNAL_LOST = 'the key journal with the cancels was lost. Create the order again.'
const CANCELLED_AFTER_BACKUP = 'the order was cancelled after the backup from which the database was restored'

type RecoveryContext = Pick<Context, 'sql' | 'clock' | 'signer' | 'guardian' | 'log'>

const OPEN: readonly OfferState[] = ['active', 'invalidated']

/**
 * Reconciles the database with the key journals. After a restore, ends orders that were cancelled since the backup. After a crash, adds
 * missing cancels to the signer's journal.
 */
export async function endRevokedOrders(context: RecoveryContext): Promise<void> {
  const { sql, clock, log } = context
  const listings = await endRevoked(context, CANCELLED_AFTER_BACKUP)
  const counters = await endRevokedCounters(context, CANCELLED_AFTER_BACKUP)
  const bids = await endRevokedBids(context, CANCELLED_AFTER_BACKUP)
  await revokeOrders(context, await listSigned(sql, ['cancelled'], clock()))
  const others = await endRevokedSigned(context, CANCELLED_AFTER_BACKUP)
  if (listings + counters + bids + others > 0)
    log.warn(
      { listings, counters, collectionOffers: bids, offersProposalsAcceptances: others },
      'database restored from an older state: ended orders that were cancelled since',
    )
}

/**
 * Ends all orders that depend on a lost journal, because cancelled ones could be signed again. Idempotent; an interrupted start repeats it.
 */
export async function endOrdersOfLost(
  { sql, signer, guardian, log }: Omit<RecoveryContext, 'clock'>,
  lost: readonly JournalName[],
): Promise<void> {
  const clock = () => new Date()
  const context = { sql, clock, signer, guardian, log }
  if (lost.length > 0) log.warn({ lost }, 'key journal lost or outdated: ending all orders that depend on it')
  if (lost.includes('signer journal')) {
    await raiseAllFloors(sql)
    await sendFloors({ sql, signer })
    await endRevoked(context, JOURNAL_LOST)
    await endRevokedCounters(context, JOURNAL_LOST)
    // 'accepting': a settlement that was not broadcast yet fails with its order.
    await revokeOrders(context, await listSigned(sql, [...OPEN, 'accepting', 'cancelled'], clock()))
    await endRevokedSigned(context, JOURNAL_LOST)
  }
  if (lost.includes('guardian journal')) {
    await forgetRevocations(sql)
    for (const { offerId } of await listUnended(sql))
      await inTransaction(sql, (tx) =>
        moveCollectionOffer(tx, offerId, 'cancelled', { reason: JOURNAL_LOST, now: clock() }),
      )
    await revokeFilling({ sql, clock, guardian })
    await revokeCancelled({ sql, clock, guardian })
  }
}

/** Returns unexpired orders in these states that are revoked by id. */
async function listSigned(sql: Queryable, states: readonly OfferState[], now: Date): Promise<Expiring[]> {
  const proposals = states.filter((state) => state === 'active' || state === 'cancelled')
  return [
    ...(await listUnexpiredOffers(sql, states, now)),
    ...(await listUnexpiredAcceptances(sql, states, now)),
    ...(await Promise.all(proposals.map((state) => listUnexpiredProposals(sql, state, now)))).flat(),
  ]
}

/** Cancels orders that the signer has revoked. Returns their number. */
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
