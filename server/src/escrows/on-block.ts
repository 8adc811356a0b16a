import { inParts } from '../chain/coin-queries.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { setMadeHeights, unsetMadeHeights } from './queries.ts'

/** Notes which block makes escrow coins. What leaves them the index says: a coin without inscriptions is nobody's escrow. */
export const escrowsOnBlock: BlockConsumer = {
  name: 'escrows',
  async apply(tx, block) {
    for (const txids of inParts([...new Set(block.moves.map((move) => move.txid))]))
      await setMadeHeights(tx, txids, block.height)
  },
  undo: unsetMadeHeights,
}
