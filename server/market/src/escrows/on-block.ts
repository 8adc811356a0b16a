import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { inParts } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { setTransferHeights, unsetTransferHeights } from './queries.ts'

/** Records the block that creates an escrow coin. See settlements/dependent-orders.ts for spends. */
export const escrowsOnBlock: BlockConsumer = {
  name: 'escrows',
  async apply(tx, block) {
    for (const txids of inParts([...new Set(block.moves.map((move) => move.txid))]))
      await setTransferHeights(tx, txids, block.height)
  },
  undo: unsetTransferHeights,
}
