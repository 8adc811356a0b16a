import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { inParts } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import type { Context } from '../context.ts'
import { raiseFloors } from '../escrows/queries.ts'
import { listWritten } from '../market-coins/ledger-queries.ts'
import { releaseCoins, retireCoins } from '../market-coins/queries.ts'
import { type Guarantee, insertOrderEvents } from './log-queries.ts'
import { listInTrade, lockListingRows, setInvalidatedHeight } from './placement-queries.ts'
import { listExpired, type MovedListing, moveListingStates } from './queries.ts'
import { LIVE, type ListingState, MOVES } from './states.ts'

/** Maximum listings per statement. */
const ROWS = 1000
/** Maximum listings that expire in a transaction, because purchases wait for it. */
const EXPIRED_ROWS = 100

interface Why {
  now: Date
  height?: number
  /** Lowest generation that the signer may still sign, by default the next one. */
  floor?: number
  /** Previous states, by default those in `MOVES`. */
  from?: readonly ListingState[]
}

/**
 * Changes the state of listings and logs the reasons. Returns those that moved; other moves are not allowed. An ended listing's anchor is
 * retired, and the jobs spend it to void the transfer. After `invalidated` the anchor is kept for some blocks, because a reorg may revive
 * the listing.
 */
export async function moveListings(
  tx: Transaction,
  listings: readonly { listingId: string; reason: string }[],
  to: ListingState,
  why: Why,
): Promise<Set<string>> {
  const moved = new Set<string>()
  for (const part of inParts(listings, ROWS))
    for (const { listingId } of await movePart(tx, part, to, why)) moved.add(listingId)
  return moved
}

/** Changes the state of a listing. Returns false if the move is not allowed. */
export async function moveListing(
  tx: Transaction,
  listingId: string,
  to: ListingState,
  { reason, ...why }: Why & { reason: string },
): Promise<boolean> {
  return (await moveListings(tx, [{ listingId, reason }], to, why)).size === 1
}

async function movePart(
  tx: Transaction,
  listings: readonly { listingId: string; reason: string }[],
  to: ListingState,
  why: Why,
): Promise<MovedListing[]> {
  const isEnd = !LIVE.includes(to)
  let ids = listings.map(({ listingId }) => listingId)
  // Must not end a listing whose purchase is in progress.
  if (to === 'cancelled' || to === 'expired' || to === 'replaced') {
    await lockListingRows(tx, ids)
    const inTrade = new Set(await listInTrade(tx, ids))
    ids = ids.filter((id) => !inTrade.has(id))
  }
  const moved = await moveListingStates(tx, ids, why.from ?? MOVES[to], to, isEnd ? why.now : null)
  if (moved.length === 0) return []
  const movedById = new Map(moved.map((each) => [each.listingId, each]))
  const { now, height = null } = why
  // 'impossible': a block spent the transfer's coin. 'refused': the market does not co-sign.
  const guarantee: Guarantee | null =
    !isEnd || to === 'sold' ? null : to === 'invalidated' ? 'impossible' : 'refused'
  await insertOrderEvents(
    tx,
    listings.flatMap(({ listingId, reason }) => {
      const { fromState, endedAt } = movedById.get(listingId) ?? {}
      const event = { listingId, toState: to, reason, guarantee, height, occurredAt: endedAt ?? now }
      return fromState ? [{ ...event, fromState }] : []
    }),
  )
  if (isEnd) await end(tx, moved, to, why)
  return moved
}

async function end(tx: Transaction, listings: readonly MovedListing[], to: ListingState, why: Why) {
  if (to === 'invalidated')
    await setInvalidatedHeight(
      tx,
      listings.map(({ listingId }) => listingId),
      why.height ?? null,
    )
  else if (to !== 'sold') {
    await retireCoins(
      tx,
      listings.map(({ anchorUtxoId }) => anchorUtxoId),
      why.now,
    )
    await raiseFloors(tx, listings.map(escrowOf), why.floor)
  }
  const unsent = listings.filter(({ transferHeight }) => transferHeight === null)
  const written = new Set(
    to === 'sold'
      ? []
      : await listWritten(
          tx,
          unsent.map(({ transferTxid }) => transferTxid),
        ),
  )
  const recoverable =
    to === 'sold' ? listings : unsent.filter(({ transferTxid }) => !written.has(transferTxid))
  await releaseCoins(
    tx,
    recoverable.map(({ recoveryHandle }) => recoveryHandle),
  )
}

const escrowOf = ({ transferTxid, escrowVout }: MovedListing): Outpoint => ({
  txid: transferTxid,
  vout: escrowVout,
})

export async function noteListings(
  tx: Transaction,
  listings: readonly { listingId: string; state: ListingState }[],
  note: { reason: string; now: Date; guarantee?: Guarantee; height?: number },
): Promise<void> {
  const { reason, now: occurredAt, guarantee = null, height = null } = note
  await insertOrderEvents(
    tx,
    listings.map(({ listingId, state }) => ({
      listingId,
      fromState: state,
      toState: state,
      reason,
      guarantee,
      height,
      occurredAt,
    })),
  )
}

export async function expireListings({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  const now = clock()
  for (const part of inParts(await listExpired(sql, now), EXPIRED_ROWS))
    await inTransaction(sql, (tx) =>
      moveListings(
        tx,
        part.map((listingId) => ({ listingId, reason: 'its duration has ended' })),
        'expired',
        { now },
      ),
    )
}
