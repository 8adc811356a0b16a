import { BlockFault, isTransient } from './block-fault.ts'
import type { BlockReader } from './block-reader.ts'
import type { ChainBlock } from './index-blocks.ts'

const AHEAD_BLOCKS = 8
const AHEAD_BYTES = 16 * 2 ** 20
/** Limits of a batch. A single block may exceed them. */
const BATCH_TRANSACTIONS = 20_000
const BATCH_BYTES = 32 * 2 ** 20
const BATCH_BLOCKS = 100
const BATCH_INSCRIPTIONS = 50_000

/**
 * Yields blocks from height `from` in batches, one per transaction, and prefetches the next. Throws BlockFault for a block that cannot be
 * parsed or does not match its hash.
 */
export async function* blockBatches(
  reader: BlockReader,
  hashes: readonly string[],
  from: number,
): AsyncGenerator<ChainBlock[]> {
  const prefetched: Promise<ChainBlock>[] = []
  let batch: ChainBlock[] = []
  let [transactions, bytes, inscriptions] = [0, 0, 0]
  // Size estimate for the next block. The spent outputs of a block can be fifty times as large as the block.
  let largestBytes = 0
  const ahead = () =>
    largestBytes === 0
      ? AHEAD_BLOCKS
      : Math.max(1, Math.min(AHEAD_BLOCKS, Math.floor(AHEAD_BYTES / largestBytes)))
  try {
    for (const [n] of hashes.entries()) {
      for (let i = n + prefetched.length; prefetched.length < ahead() && i < hashes.length; i++) {
        const block = readOne(reader, hashes[i]!, from + i)
        // Avoid an unhandled rejection: the error is handled below.
        block.catch(() => {})
        prefetched.push(block)
      }
      const block = await prefetched.shift()!.catch((error: unknown) => error as Error)
      if (block instanceof Error) {
        if (batch.length > 0) yield batch
        throw block
      }
      const size = block.bytes.length + block.spent.length
      largestBytes = Math.max(size, Math.floor(largestBytes * 0.9))
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
      reader.release(batch)
      batch = []
      transactions = bytes = inscriptions = 0
    }
  } finally {
    await Promise.allSettled(prefetched)
  }
}

async function readOne(reader: BlockReader, hash: string, height: number): Promise<ChainBlock> {
  try {
    return { ...(await reader.read(hash)), height }
  } catch (error) {
    throw isTransient(error) ? error : new BlockFault({ height, hash }, error)
  }
}
