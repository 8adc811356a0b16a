import { inParts } from '../chain/coin-queries.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { setTransferHeights, unsetTransferHeights } from './queries.ts'

/** Notes the transfers of counters that a block holds. Coins that a block spends end offers elsewhere (settlements/dependent-orders.ts). */
export const offersOnBlock: BlockConsumer = {
  name: 'offers',
  async apply(tx, block) {
    for (const txids of inParts([...new Set(block.moves.map((move) => move.txid))]))
      await setTransferHeights(tx, txids, block.height)
  },
  undo: unsetTransferHeights,
}
