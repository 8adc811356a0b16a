import type { BlockSource } from '../node/source.ts'
import { BlockFault, isTransient } from './block-fault.ts'
import type { ChainBlock } from './index-blocks.ts'

/** Blocks, and their bytes, that are asked for ahead of the one that is written. */
const AHEAD_BLOCKS = 8
const AHEAD_BYTES = 32 * 2 ** 20
/** A batch is full with so many transactions, bytes, blocks or inscriptions; a block alone may have more. */
const BATCH_TRANSACTIONS = 20_000
const BATCH_BYTES = 32 * 2 ** 20
const BATCH_BLOCKS = 100
const BATCH_INSCRIPTIONS = 50_000

/**
 * Reads blocks in order from height `from` on, as many at a time as one database transaction takes; the next ones are on
 * their way meanwhile. Throws BlockFault for a block that cannot be read.
 */
export async function* blockBatches(
  node: BlockSource,
  hashes: readonly string[],
  from: number,
): AsyncGenerator<ChainBlock[]> {
  const coming: Promise<ChainBlock>[] = []
  let batch: ChainBlock[] = []
  let [transactions, bytes, inscriptions] = [0, 0, 0]
  // The largest of late is what the next may be: spent outputs can be fifty times as large as the block.
  let largest = 0
  const ahead = () =>
    largest === 0 ? AHEAD_BLOCKS : Math.max(1, Math.min(AHEAD_BLOCKS, Math.floor(AHEAD_BYTES / largest)))
  try {
    for (const [n] of hashes.entries()) {
      for (let i = n + coming.length; coming.length < ahead() && i < hashes.length; i++) {
        const block = readOne(node, hashes[i]!, from + i)
        // Its failure is thrown where it is waited for, and only there.
        block.catch(() => {})
        coming.push(block)
      }
      const block = await coming.shift()!.catch((error: unknown) => error as Error)
      if (block instanceof Error) {
        // Those before it are written all the same.
        if (batch.length > 0) yield batch
        throw block
      }
      const size = block.bytes.length + block.spent.length
      largest = Math.max(size, Math.floor(largest * 0.9))
      batch.push(block)
      transactions += block.transactions.length
      bytes += size
      inscriptions += block.protocolMarks
      const isFull =
        batch.length >= BATCH_BLOCKS ||
        transactions >= BATCH_TRANSACTIONS ||
        bytes >= BATCH_BYTES ||
        inscriptions >= BATCH_INSCRIPTIONS
      if (!isFull && n < hashes.length - 1) continue
      yield batch
      batch = []
      transactions = bytes = inscriptions = 0
    }
  } finally {
    await Promise.allSettled(coming)
  }
}

async function readOne(node: BlockSource, hash: string, height: number): Promise<ChainBlock> {
  try {
    return { ...(await node.block(hash)), height }
  } catch (error) {
    throw isTransient(error) ? error : new BlockFault({ height, hash }, error)
  }
}
