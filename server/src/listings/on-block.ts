import type { BlockConsumer } from '../chain/follower.ts'
import { unretireCoins } from '../engine/queries.ts'
import { moveListing } from './lifecycle.ts'
import {
  lockLiveListings,
  moveListingState,
  setTransferHeights,
  takeEventsAt,
  unsetTransferHeights,
} from './queries.ts'
import { LIVE } from './states.ts'

/**
 * What a block means for listings that no settlement of ours explains: a transfer that confirmed without its sale is
 * noted and the listing stays, any other move ends it. Runs after purchases, which take the sales.
 */
export const listingsOnBlock: BlockConsumer = {
  name: 'listings',
  async apply(tx, block) {
    const moves = block.events.filter((event) => event.kind === 'moved')
    if (moves.length === 0) return
    await setTransferHeights(tx, [...new Set(moves.map((move) => move.txid))], block.height)
    for (const listing of await lockLiveListings(tx, [...new Set(moves.map((move) => move.inscriptionId))])) {
      const foreign = moves.find(
        (move) => move.inscriptionId === listing.inscriptionId && move.txid !== listing.transferTxid,
      )
      if (!foreign) continue
      const reason = `the inscription moved in ${foreign.txid}`
      await moveListing(tx, listing.listingId, 'invalidated', {
        reason,
        now: block.minedAt,
        height: block.height,
      })
    }
  },
  async undo(tx, height) {
    for (const { listingId, anchorUtxoId, fromState, toState } of await takeEventsAt(tx, height)) {
      const isLive = LIVE.includes(fromState)
      const moved = await moveListingState(tx, listingId, [toState], fromState, isLive ? null : new Date())
      if (moved && isLive) await unretireCoins(tx, anchorUtxoId)
    }
    await unsetTransferHeights(tx, height)
  },
}
