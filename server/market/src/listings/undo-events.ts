import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { inParts } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { moveListings } from './lifecycle.ts'
import { insertOrderEvents, listEventsAt, type UndoneEvent } from './log-queries.ts'
import { lockLiveListingsWith, moveListingStates } from './queries.ts'
import { LIVE } from './states.ts'

/** Maximum events per statement. */
const ROWS = 1000

/** Reverts a block's sales and notes of listings. Runs as many statements for many listings as for one. */
export async function undoEvents(tx: Transaction, height: number): Promise<void> {
  const now = new Date()
  for (const round of roundsOf(await listEventsAt(tx, height))) {
    const sales = round.filter(isSale)
    // A sale may end a listing of its buyer. Revert the notes of that listing first.
    await insertReverted(
      tx,
      round.filter((event) => !isSale(event)),
      { height, now },
    )
    for (const part of inParts(sales, ROWS)) await undoSales(tx, part, { height, now })
  }
}

const isSale = ({ fromState, toState }: UndoneEvent) => fromState !== toState

/**
 * Divides events into rounds, the latest first. A round has one event of a listing and one sale of a sat: the buyer of a sale may have sold
 * the inscription again in the same block.
 */
function roundsOf(events: readonly UndoneEvent[]): UndoneEvent[][] {
  const rounds: UndoneEvent[][] = []
  const next = new Map<string | number, number>()
  for (const event of events) {
    const keys = [event.listingId, ...(isSale(event) ? [event.satId ?? event.inscriptionId] : [])]
    const n = Math.max(...keys.map((key) => next.get(key) ?? 0))
    ;(rounds[n] ??= []).push(event)
    for (const key of keys) next.set(key, n + 1)
  }
  return rounds
}

/** Makes sold listings active again, or ended as before. Ends the listings of buyers until the sales confirm again. */
async function undoSales(
  tx: Transaction,
  sales: readonly UndoneEvent[],
  at: { height: number; now: Date },
): Promise<void> {
  const { height, now } = at
  const revived = sales.filter(({ fromState }) => LIVE.includes(fromState))
  const ofBuyers = await lockLiveListingsWith(
    tx,
    revived.map(({ inscriptionId }) => inscriptionId),
  )
  const reason = `the sale to its seller was undone with block ${height}`
  await moveListings(
    tx,
    ofBuyers.map((listingId) => ({ listingId, reason })),
    'invalidated',
    { now },
  )
  const moved = new Set<string>()
  for (const [fromState, events] of Map.groupBy(sales, (event) => event.fromState)) {
    const ids = events.map(({ listingId }) => listingId)
    const endedAt = LIVE.includes(fromState) ? null : now
    for (const { listingId } of await moveListingStates(tx, ids, ['sold'], fromState, endedAt))
      moved.add(listingId)
  }
  await insertReverted(
    tx,
    sales.filter(({ listingId }) => moved.has(listingId)),
    at,
  )
}

async function insertReverted(
  tx: Transaction,
  events: readonly UndoneEvent[],
  { height, now }: { height: number; now: Date },
): Promise<void> {
  for (const part of inParts(events, ROWS))
    await insertOrderEvents(
      tx,
      part.map((event) => ({
        listingId: event.listingId,
        fromState: event.toState,
        toState: event.fromState,
        reason: `block ${height} was undone`,
        guarantee: isSale(event) ? null : ('anchor-spent' as const),
        height: null,
        occurredAt: now,
        undoes: event.eventId,
      })),
    )
}
