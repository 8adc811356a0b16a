import type { BlockConsumer } from '../chain/follower.ts'
import { setTransferHeights, unsetTransferHeights } from './queries.ts'

/** Notes the transfers of counters that a block holds. What a block spends ends offers elsewhere (backing/spent.ts). */
export const offersOnBlock: BlockConsumer = {
  name: 'offers',
  async apply(tx, block) {
    const moves = block.events.filter((event) => event.kind === 'moved')
    if (moves.length > 0)
      await setTransferHeights(tx, [...new Set(moves.map((move) => move.txid))], block.height)
  },
  undo: unsetTransferHeights,
}
