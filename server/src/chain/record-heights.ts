import type { Transaction } from '../db/connect.ts'
import { inParts } from './coin-queries.ts'
import type { BlockConsumer } from './follower.ts'

type Rows = (tx: Transaction, txids: readonly string[], height: number) => Promise<void>

/** A consumer that gives rows the height of the block whose transactions moved their inscriptions, and takes it back with the block. */
export const recordHeights = (name: string, set: Rows, undo: BlockConsumer['undo']): BlockConsumer => ({
  name,
  async apply(tx, block) {
    for (const txids of inParts([...new Set(block.moves.map((move) => move.txid))]))
      await set(tx, txids, block.height)
  },
  undo,
})
