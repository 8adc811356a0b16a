import type { Transaction } from '@ordbook/db/driver/connect.ts'
import type { WatchedMove } from '@ordbook/indexer/blocks/batch-moves.ts'
import type { BlockConsumer, IndexedBlock } from '@ordbook/indexer/blocks/follower.ts'
import { listWatchedMadeAt } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { retireCoins } from '../market-coins/queries.ts'
import { moveListing, noteListing } from './lifecycle.ts'
import { insertOrderEvent, listEventsAt, listMadeImpossible } from './log-queries.ts'
import { listAnchorsInvalidatedAt } from './placement-queries.ts'
import { lockLiveListing, lockLiveListings, moveListingState } from './queries.ts'
import { recheckListings, reviveListings } from './recheck.ts'
import { LIVE } from './states.ts'

/** Blocks after which a reorg is no longer expected; anchors kept for one are released then. */
const SETTLED_BLOCKS = 6

/**
 * Effects of a block on listings, other than settlements of this market: a transfer that confirmed without its sale is recorded and the
 * listing stays; a coin that is confirmed or undone makes it buyable or pending; any other move makes it impossible until a reorg. Runs
 * after settlements, which handle the sales.
 */
export const listingsOnBlock: BlockConsumer = {
  name: 'listings',
  async apply(tx, block) {
    const why = { now: block.seenAt, height: block.height }
    const moved = await block.batch.watchedIn(tx, block.moves)
    if (block.moves.length > 0) await endMoved(tx, block, moved)
    const made = block.inscribed.length > 0 ? await listWatchedMadeAt(tx, block.height) : []
    if (moved.length + made.length > 0)
      await recheck(tx, [...new Set([...moved.map((each) => each.inscriptionId), ...made])], why)
    for (const listing of await listMadeImpossible(tx, block.height))
      await noteListing(tx, listing, {
        reason: 'the anchor is spent: the pre-signed transfer can never confirm',
        guarantee: 'impossible',
        ...why,
      })
    for (const anchorUtxoId of await listAnchorsInvalidatedAt(tx, block.height - SETTLED_BLOCKS))
      await retireCoins(tx, anchorUtxoId, block.seenAt)
  },
  async undo(tx, height) {
    const now = new Date()
    for (const { eventId, listingId, inscriptionId, fromState, toState } of await listEventsAt(tx, height)) {
      if (fromState !== toState) {
        // The buyer may have listed it since: that listing waits for the sale.
        const other = await lockLiveListing(tx, inscriptionId)
        const reason = `block ${height} was undone, in which its seller had bought it`
        if (other && LIVE.includes(fromState))
          await moveListing(tx, other.listingId, 'invalidated', { reason, now })
        const moved = await moveListingState(
          tx,
          listingId,
          [toState],
          fromState,
          LIVE.includes(fromState) ? null : now,
        )
        if (!moved) continue
      }
      await insertOrderEvent(tx, {
        listingId,
        fromState: toState,
        toState: fromState,
        reason: `block ${height} was undone`,
        guarantee: fromState === toState ? 'anchor-spent' : null,
        height: null,
        occurredAt: now,
        undoes: eventId,
      })
    }
  },
  undone: (tx, inscriptionIds) => recheck(tx, inscriptionIds, { now: new Date() }),
}

async function recheck(
  tx: Transaction,
  inscriptionIds: readonly string[],
  why: { now: Date; height?: number },
): Promise<void> {
  await reviveListings(tx, inscriptionIds, why)
  await recheckListings(tx, { inscriptionIds }, why)
}

async function endMoved(tx: Transaction, block: IndexedBlock, moved: readonly WatchedMove[]): Promise<void> {
  // Use the last move: one block may move an inscription to its seller and then into escrow.
  const last = new Map(moved.map((move) => [move.inscriptionId, move]))
  for (const listing of await lockLiveListings(tx, [...last.keys()])) {
    const { txid, to } = last.get(listing.inscriptionId)!
    const arrived = to.txid === listing.coinTxid && to.vout === listing.coinVout
    if (txid === listing.transferTxid || arrived) continue
    await moveListing(tx, listing.listingId, 'invalidated', {
      reason: `the inscription moved in ${txid}`,
      now: block.seenAt,
      height: block.height,
    })
  }
}
