import { inParts } from '../chain/coin-queries.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { setMadeHeights, unsetMadeHeights } from './queries.ts'

/** Notes which block makes escrow coins. The index says what leaves them: a coin without inscriptions is no escrow. */
export const escrowsOnBlock: BlockConsumer = {
  name: 'escrows',
  async apply(tx, block) {
    for (const txids of inParts([...new Set(block.moves.map((move) => move.txid))]))
      await setMadeHeights(tx, txids, block.height)
  },
  undo: unsetMadeHeights,
}
