import type { Transaction } from '@ordbook/db/driver/connect.ts'
import type { WatchedMove } from '@ordbook/indexer/blocks/batch-moves.ts'
import type { BlockConsumer, IndexedBlock } from '@ordbook/indexer/blocks/block-consumer.ts'
import { listWatchedMadeAt } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { lockMempoolView } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { retireCoins } from '../market-coins/queries.ts'
import { moveListings, noteListings } from './lifecycle.ts'
import { listMadeImpossible } from './log-queries.ts'
import { listAnchorsInvalidatedAt } from './placement-queries.ts'
import { lockLiveListings } from './queries.ts'
import { recheckListings, reviveListings } from './recheck.ts'
import { undoEvents } from './undo-events.ts'

/** Blocks after which no reorg is expected and kept anchors are retired. */
const SETTLED_BLOCKS = 6

/**
 * Updates listings after a block, except for sales. A transfer that confirmed alone keeps the listing active. Any other move of the
 * inscription invalidates the listing until a reorg reverts it.
 */
export const listingsOnBlock: BlockConsumer = {
  name: 'listings',
  async apply(tx, block) {
    const why = { now: block.seenAt, height: block.height }
    const { moved } = await block.batch.watchedIn(tx, block.height)
    if (block.moves.length > 0) await endMoved(tx, block, moved)
    const inscribed = block.inscribed.length > 0 ? await listWatchedMadeAt(tx, block.height) : []
    if (moved.length + inscribed.length > 0)
      await recheck(tx, [...new Set([...moved.map((move) => move.inscriptionId), ...inscribed])], why)
    await noteListings(tx, await listMadeImpossible(tx, block.height), {
      reason: 'the anchor is spent: the pre-signed transfer can never confirm',
      guarantee: 'impossible',
      ...why,
    })
    await retireCoins(tx, await listAnchorsInvalidatedAt(tx, block.height - SETTLED_BLOCKS), block.seenAt)
  },
  undo: undoEvents,
  undone: (tx, inscriptionIds) => recheck(tx, inscriptionIds, { now: new Date() }),
}

async function recheck(
  tx: Transaction,
  inscriptionIds: readonly string[],
  why: { now: Date; height?: number },
): Promise<void> {
  // A listing's state depends on the mempool. Without the lock, a spend recorded at the same time sees the listing as it was.
  await lockMempoolView(tx)
  await reviveListings(tx, inscriptionIds, why)
  await recheckListings(tx, { inscriptionIds }, why)
}

async function endMoved(tx: Transaction, block: IndexedBlock, moved: readonly WatchedMove[]): Promise<void> {
  // A block may move an inscription several times. Use the last move.
  const lastMoves = new Map(moved.map((move) => [move.inscriptionId, move]))
  const listings = await lockLiveListings(tx, [...lastMoves.keys()])
  const ended = listings.flatMap(({ listingId, inscriptionId, coinTxid, coinVout, transferTxid }) => {
    const { txid, to } = lastMoves.get(inscriptionId)!.last
    const arrived = to.txid === coinTxid && to.vout === coinVout
    return txid === transferTxid || arrived ? [] : [{ listingId, reason: `the inscription moved in ${txid}` }]
  })
  await moveListings(tx, ended, 'invalidated', { now: block.seenAt, height: block.height })
}
