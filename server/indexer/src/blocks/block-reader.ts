import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type BlockLayout, blockOf, type RawBlock } from '@ordbook/bitcoin/raw-block.ts'
import { indexerConstants } from '@ordbook/db/settings/indexer.ts'
import type { BlockSource } from '../node/source.ts'
import { assertCommitted } from './block-commitments.ts'

/** `layout` is null if the block could not be read. */
export interface FromBlockThread {
  hash: string
  layout: BlockLayout | null
}

/** The name that `top` shows. */
export const THREAD_NAME = 'blocks'
/** Heap limit of the thread. Blocks are outside of the heap. */
const HEAP_MEGABYTES = 256
const YOUNG_MEGABYTES = 4

export const buffersOf = (layout: BlockLayout): ArrayBuffer[] =>
  Object.values(layout as unknown as Record<string, Uint8Array<ArrayBuffer>>).map(({ buffer }) => buffer)

/** Reads a block and checks it against its hash. Throws BitcoinError. */
export async function readCommitted(node: BlockSource, hash: string): Promise<RawBlock> {
  const block = await node.block(hash)
  assertCommitted(block, hash)
  return block
}

/**
 * Reads blocks for a sync: in a thread if it is long, because fetching, parsing and hashing a block takes as long as indexing it. What the
 * thread cannot read is read here, for its error.
 */
export class BlockReader {
  private readonly node: BlockSource
  private readonly url: string | null
  private readonly threadFrom: number
  private readonly waiting = new Map<string, PromiseWithResolvers<BlockLayout | null>>()
  private readonly transferred = new WeakSet<BlockLayout>()
  private thread: Worker | null = null
  private bytes = 0

  /** `url` is that of `node`; null to read without a thread. */
  constructor(node: BlockSource, url: string | null, threadFrom = indexerConstants.blockThreadFromBytes) {
    this.node = node
    this.url = url
    this.threadFrom = threadFrom
  }

  get isThreaded(): boolean {
    return this.thread !== null
  }

  async read(hash: string): Promise<RawBlock> {
    if (this.url !== null && this.bytes >= this.threadFrom) {
      const layout = await this.readInThread(this.url, hash)
      if (layout) {
        this.transferred.add(layout)
        return blockOf(layout)
      }
    }
    const block = await readCommitted(this.node, hash)
    this.bytes += block.bytes.length + block.spent.length
    return block
  }

  /** Frees the memory of blocks that are not used any more. Otherwise much of it waits for the garbage collector. */
  release(blocks: readonly RawBlock[]): void {
    for (const { layout } of blocks)
      if (this.transferred.has(layout)) for (const buffer of buffersOf(layout)) buffer.transfer(0)
  }

  /** Ends the sync. Blocks that the thread is reading are read here. */
  async close(): Promise<void> {
    this.bytes = 0
    await this.thread?.terminate()
  }

  private readInThread(url: string, hash: string): Promise<BlockLayout | null> {
    this.thread ??= this.start(url)
    const known = this.waiting.get(hash)
    if (known) return known.promise
    const waiter = Promise.withResolvers<BlockLayout | null>()
    this.waiting.set(hash, waiter)
    this.thread.postMessage(hash)
    return waiter.promise
  }

  private start(url: string): Worker {
    // .ts in a checkout, .js in a bundle.
    const path = `./block-thread${extname(import.meta.filename)}`
    const thread = new Worker(new URL(path, import.meta.url), {
      name: THREAD_NAME,
      workerData: url,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    thread.on('message', ({ hash, layout }: FromBlockThread) => {
      this.waiting.get(hash)?.resolve(layout)
      this.waiting.delete(hash)
    })
    // An error ends the thread, and the blocks that it was reading are read here.
    thread.on('error', () => {})
    thread.once('exit', () => {
      if (this.thread !== thread) return
      this.thread = null
      this.bytes = 0
      for (const { resolve } of this.waiting.values()) resolve(null)
      this.waiting.clear()
    })
    return thread
  }
}
