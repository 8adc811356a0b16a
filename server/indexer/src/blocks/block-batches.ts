import type { BlockSource } from '../node/source.ts'
import { BlockFault, isTransient } from './block-fault.ts'
import type { ChainBlock } from './index-blocks.ts'

/** Maximum number of blocks, and their bytes, to prefetch. */
const AHEAD_BLOCKS = 8
const AHEAD_BYTES = 32 * 2 ** 20
/** A batch is full when it reaches one of these limits; a single block may exceed them. */
const BATCH_TRANSACTIONS = 20_000
const BATCH_BYTES = 32 * 2 ** 20
const BATCH_BLOCKS = 100
const BATCH_INSCRIPTIONS = 50_000

/**
 * Reads blocks in order from height `from`, in batches for one database transaction each, and prefetches the next ones. Throws BlockFault
 * for a block that cannot be parsed.
 */
export async function* blockBatches(
  node: BlockSource,
  hashes: readonly string[],
  from: number,
): AsyncGenerator<ChainBlock[]> {
  const coming: Promise<ChainBlock>[] = []
  let batch: ChainBlock[] = []
  let [transactions, bytes, inscriptions] = [0, 0, 0]
  // Estimate for the next block: spent outputs can be fifty times as large as the block.
  let largest = 0
  const ahead = () =>
    largest === 0 ? AHEAD_BLOCKS : Math.max(1, Math.min(AHEAD_BLOCKS, Math.floor(AHEAD_BYTES / largest)))
  try {
    for (const [n] of hashes.entries()) {
      for (let i = n + coming.length; coming.length < ahead() && i < hashes.length; i++) {
        const block = readOne(node, hashes[i]!, from + i)
        // Avoid an unhandled rejection: the error is handled when the block is awaited.
        block.catch(() => {})
        coming.push(block)
      }
      const block = await coming.shift()!.catch((error: unknown) => error as Error)
      if (block instanceof Error) {
        // The blocks before it can still be written.
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
