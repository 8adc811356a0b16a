import { inParts } from '../chain/coin-queries.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { setTransferHeights, unsetTransferHeights } from './queries.ts'

/** Records the transfers of counters in a block. Spent coins end offers in settlements/dependent-orders.ts. */
export const offersOnBlock: BlockConsumer = {
  name: 'offers',
  async apply(tx, block) {
    for (const txids of inParts([...new Set(block.moves.map((move) => move.txid))]))
      await setTransferHeights(tx, txids, block.height)
  },
  undo: unsetTransferHeights,
}
