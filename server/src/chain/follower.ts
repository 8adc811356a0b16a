import type { Logger } from 'pino'
import { inTransaction, type Sql, type Transaction } from '../db/connect.ts'
import { findBase } from './adopt-queries.ts'
import { type ChainBlock, type Indexed, indexBlocks, unindexBlock } from './index-blocks.ts'
import type { Node } from './node.ts'
import { findBlockHash, findTip, lockIndex } from './queries.ts'
import { type ChainRules, RULES } from './rules.ts'
import { findSatIndex, setSatIndex } from './sat-queries.ts'

/**
 * Reads blocks in order and keeps the index. Some whole blocks, at the tip one, are one database transaction in which the
 * index and every consumer move together, forward or back: whatever line a crash hits, the next start finds the state
 * after some whole block. When the node's chain is no longer ours, blocks are undone until it is, then the new ones
 * are applied. While one batch is written the blocks of the next are on their way.
 */
export interface IndexedBlock extends ChainBlock {
  events: Indexed['events']
  minedAt: Date
  /** When we heard of it: the time of what our own books do because of it. */
  seenAt: Date
}

/** Someone who moves with the chain. */
export interface BlockConsumer {
  name: string
  /** After the index has moved. */
  apply(tx: Transaction, block: IndexedBlock): Promise<void>
  /** Before it moves back. */
  undo(tx: Transaction, height: number): Promise<void>
  /** After it has moved back: these inscriptions are elsewhere again, or nowhere. */
  undone?(tx: Transaction, inscriptionIds: readonly string[]): Promise<void>
}

export interface FollowerOptions {
  sql: Sql
  node: Node
  chain: string
  consumers: readonly BlockConsumer[]
  log: Logger
  /** How deep a reorg may go, in blocks, before the follower refuses to guess and stops. */
  undoBlocks: number
  /** Whether a new index numbers sats; `auto`: on chains that are small. */
  satIndex: 'auto' | 'on' | 'off'
}

/** Blocks that are asked for ahead of the one that is written. */
const AHEAD = 8
/** A batch is full with so many transactions, bytes or blocks. */
const BATCH_TRANSACTIONS = 20_000
const BATCH_BYTES = 32 * 2 ** 20
const BATCH_BLOCKS = 100
/** Blocks between two looks at what the node's tip is. */
const WINDOW = 1000

export class Follower {
  private readonly options: FollowerOptions
  private readonly rules: ChainRules

  constructor(options: FollowerOptions) {
    this.options = options
    this.rules = RULES[options.chain]!
  }

  /** Follows the node to its tip. `onProgress` hears of each block. Gives the height reached. */
  async sync(onProgress?: (height: number, target: number) => void): Promise<number> {
    const { sql, node } = this.options
    for (;;) {
      const { blocks: target } = await node.blockchainInfo()
      await this.undoForeign()
      const next = ((await findTip(sql))?.height ?? -1) + 1
      const hashes = await node.blockHashes(next, Math.min(target, next + WINDOW - 1))
      if (hashes.length === 0) return next - 1
      let height = next
      for await (const batch of this.batches(hashes, next)) {
        // The chain may have turned meanwhile: then the blocks do not follow ours, and we look again.
        if (!(await this.apply(batch, target))) break
        for (const _ of batch) onProgress?.(height++, target)
      }
    }
  }

  /** Blocks in order, as many as one transaction takes; those that follow are on their way meanwhile. */
  private async *batches(hashes: readonly string[], from: number): AsyncGenerator<ChainBlock[]> {
    const { node } = this.options
    const coming: Promise<ChainBlock>[] = []
    let batch: ChainBlock[] = []
    let [transactions, bytes] = [0, 0]
    try {
      for (const [n] of hashes.entries()) {
        for (let i = n + coming.length; coming.length < AHEAD && i < hashes.length; i++) {
          const height = from + i
          const block = node.block(hashes[i]!).then((raw) => ({ ...raw, height }))
          // Whoever waits for it hears of its failure; nobody may.
          block.catch(() => {})
          coming.push(block)
        }
        const block = await coming.shift()!
        batch.push(block)
        transactions += block.transactions.length
        bytes += block.bytes.length
        const isFull =
          batch.length >= BATCH_BLOCKS || transactions >= BATCH_TRANSACTIONS || bytes >= BATCH_BYTES
        if (!isFull && n < hashes.length - 1) continue
        yield batch
        batch = []
        transactions = bytes = 0
      }
    } finally {
      await Promise.allSettled(coming)
    }
  }

  private async undoForeign(): Promise<void> {
    const { sql, node, log, undoBlocks } = this.options
    for (let depth = 0; ; depth++) {
      const tip = await findTip(sql)
      if (!tip || (await node.blockHash(tip.height)) === tip.blockHash) return
      if (tip.height === (await findBase(sql)))
        throw new Error(
          `the chain turned back beyond block ${tip.height}, where the index began: begin again on an empty database`,
        )
      if (depth >= undoBlocks)
        throw new Error(
          `the chain turned more than ${undoBlocks} blocks back: start on an empty database, or from a backup that is older`,
        )
      log.warn({ height: tip.height, hash: tip.blockHash }, 'block is no longer in the chain: undoing it')
      await this.undo(tip.height)
    }
  }

  private undo(height: number): Promise<void> {
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      for (const consumer of this.options.consumers.toReversed()) await consumer.undo(tx, height)
      const inscriptionIds = await unindexBlock(tx, height)
      for (const consumer of this.options.consumers) await consumer.undone?.(tx, inscriptionIds)
    })
  }

  /** Writes blocks that follow each other; false when they do not follow the index. */
  private apply(batch: readonly ChainBlock[], target: number): Promise<boolean> {
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      const tip = await findTip(tx)
      if (batch[0]!.height !== (tip?.height ?? -1) + 1)
        throw new Error(`block ${batch[0]!.height} does not follow the index: another follower is at work`)
      let before = tip?.blockHash
      for (const block of batch) {
        if (before !== undefined && block.previousHash !== before) return false
        before = block.hash
      }
      const seenAt = new Date()
      const indexed = await indexBlocks(tx, batch, {
        tip,
        rules: this.rules,
        sats: await this.numbersSats(tx),
        undoFrom: target - this.options.undoBlocks + 1,
      })
      for (const { block, events } of indexed)
        for (const consumer of this.options.consumers)
          await consumer.apply(tx, { ...block, events, minedAt: new Date(block.time * 1000), seenAt })
      return true
    })
  }

  /** Decided with the first block: sats cannot be numbered from the middle. */
  private async numbersSats(tx: Transaction): Promise<boolean> {
    const known = await findSatIndex(tx)
    if (known) return known === 'on'
    const { satIndex } = this.options
    const on = satIndex === 'on' || (satIndex === 'auto' && this.rules.isSmall)
    await setSatIndex(tx, on ? 'on' : 'off')
    return on
  }
}

/** True when the index holds the node's tip. */
export async function isAtTip(sql: Sql, node: Node): Promise<boolean> {
  const { blocks, bestblockhash } = await node.blockchainInfo()
  return (await findBlockHash(sql, blocks)) === bestblockhash
}
