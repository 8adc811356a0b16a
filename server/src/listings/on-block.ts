import type { Moved } from '@ordbook/bitcoin/inscription-flow.ts'
import type { BlockConsumer, IndexedBlock } from '../chain/follower.ts'
import type { Transaction } from '../db/connect.ts'
import { unretireCoins } from '../engine/queries.ts'
import { moveListing, noteListing } from './lifecycle.ts'
import { insertOrderEvent, listEventsAt, listMadeImpossible } from './log-queries.ts'
import { lockLiveListings, moveListingState, setTransferHeights, unsetTransferHeights } from './queries.ts'
import { LIVE } from './states.ts'

/**
 * What a block means for listings that no settlement of ours explains: a transfer that confirmed without its sale is
 * noted and the listing stays, any other move ends it. Runs after purchases, which take the sales.
 */
export const listingsOnBlock: BlockConsumer = {
  name: 'listings',
  async apply(tx, block) {
    const why = { now: block.seenAt, height: block.height }
    const moves = block.events.filter((event) => event.kind === 'moved')
    if (moves.length > 0) await endMoved(tx, block, moves)
    for (const listing of await listMadeImpossible(tx, block.height))
      await noteListing(tx, listing, {
        reason: 'the anchor is spent: the pre-signed transfer can never confirm',
        guarantee: 'impossible',
        ...why,
      })
  },
  async undo(tx, height) {
    for (const { eventId, listingId, anchorUtxoId, fromState, toState } of await listEventsAt(tx, height)) {
      if (fromState !== toState) {
        const isLive = LIVE.includes(fromState)
        const moved = await moveListingState(tx, listingId, [toState], fromState, isLive ? null : new Date())
        if (!moved) continue
        if (isLive) await unretireCoins(tx, anchorUtxoId)
      }
      await insertOrderEvent(tx, {
        listingId,
        fromState: toState,
        toState: fromState,
        reason: `block ${height} was undone`,
        guarantee: fromState === toState ? 'anchor-spent' : null,
        height: null,
        occurredAt: new Date(),
        undoes: eventId,
      })
    }
    await unsetTransferHeights(tx, height)
  },
}

async function endMoved(tx: Transaction, block: IndexedBlock, moves: readonly Moved[]): Promise<void> {
  await setTransferHeights(tx, [...new Set(moves.map((move) => move.txid))], block.height)
  for (const listing of await lockLiveListings(tx, [...new Set(moves.map((move) => move.inscriptionId))])) {
    const foreign = moves.find(
      (move) => move.inscriptionId === listing.inscriptionId && move.txid !== listing.transferTxid,
    )
    if (!foreign) continue
    const reason = `the inscription moved in ${foreign.txid}`
    await moveListing(tx, listing.listingId, 'invalidated', {
      reason,
      now: block.seenAt,
      height: block.height,
    })
  }
}
