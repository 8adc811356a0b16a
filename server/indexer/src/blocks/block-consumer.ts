import type { Transaction } from '@ordbook/db/driver/connect.ts'
import type { ChainBlock, Indexed } from './index-blocks.ts'

export interface IndexedBlock extends ChainBlock {
  inscribed: Indexed['inscribed']
  moves: Indexed['moves']
  batch: Indexed['batch']
  minedAt: Date
  /** When this server received the block. Used as the timestamp of changes. */
  seenAt: Date
}

/** A module whose state follows the chain. */
export interface BlockConsumer {
  name: string
  /** What it records is history: the follower continues without the records of a block that the database rejects. */
  isOptional?: true
  /** Runs after the block is indexed. */
  apply(tx: Transaction, block: IndexedBlock): Promise<void>
  /** Runs before the block is removed from the index. */
  undo(tx: Transaction, height: number): Promise<void>
  /** Runs after the block is removed. The inscriptions returned to their previous location or no longer exist. */
  undone?(tx: Transaction, inscriptionIds: readonly string[]): Promise<void>
}
