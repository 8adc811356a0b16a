import { type ChainRules, RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { SatFlow } from '@ordbook/bitcoin/sat-ropes/flow.ts'
import { inTransaction, type Queryable, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { inOwnSpan } from '@ordbook/db/process/span.ts'
import type { Logger } from 'pino'
import { findBase, findChanges } from '../inscriptions/adopt-queries.ts'
import {
  type BlockRow,
  findBlockHash,
  findTip,
  findUndoFrom,
  keepActive,
  lockIndex,
  raiseUndoFrom,
} from '../inscriptions/queries.ts'
import type { BlockSource } from '../node/source.ts'
import { findSatIndex, setSatIndex } from '../sats/sat-queries.ts'
import { SatVacuum } from '../sats/sat-vacuum.ts'
import { Turns } from '../turns.ts'
import { blockBatches } from './block-batches.ts'
import { BlockFault, BranchFault, isTransient } from './block-fault.ts'
import { BlockReader } from './block-reader.ts'
import {
  type ChainBlock,
  type Indexed,
  type PreparedBlocks,
  prepareBlocks,
  readEnvelopes,
  unindexBlock,
  writeBlocks,
} from './index-blocks.ts'
import { StuckBlock } from './stuck-block.ts'

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
  /** Runs after the block is indexed. */
  apply(tx: Transaction, block: IndexedBlock): Promise<void>
  /** Runs before the block is removed from the index. */
  undo(tx: Transaction, height: number): Promise<void>
  /** Runs after the block is removed. The inscriptions returned to their previous location or no longer exist. */
  undone?(tx: Transaction, inscriptionIds: readonly string[]): Promise<void>
}

export interface FollowerOptions {
  sql: Sql
  node: BlockSource
  /** Default: reads from `node`, without a thread. */
  reader?: BlockReader
  chain: string
  consumers: readonly BlockConsumer[]
  log: Logger
  /** Deepest reorg that can be undone, in blocks. */
  undoBlocks: number
  /** Whether to number sats in a new index. `auto` does on small chains. */
  satIndex: 'auto' | 'on' | 'off'
}

/** Consecutive blocks to apply. `target` is the height of the node's tip. */
interface ToApply {
  batch: readonly ChainBlock[]
  target: number
  signal: AbortSignal
}

/** Blocks computed from the index at a tip, after a number of changes. */
interface Computed {
  tip: BlockRow | null
  changes: number
  isNumbered: boolean
  prepared: PreparedBlocks
}

const WINDOW = 1000
/** If the index changed so many times while a batch was computed, the follower locks the index first. */
const MAX_CHANGES = 3
const CULPRIT_TIMEOUT_MS = 60_000
const ROLLBACK = new Error('trial run')

export class Follower {
  private readonly options: FollowerOptions
  private readonly rules: ChainRules
  private readonly reader: BlockReader
  private readonly stuck: StuckBlock
  private readonly sats = new SatFlow()
  private readonly vacuum: SatVacuum
  /** Blocks that fit into memory at once, as far as known. */
  private fitting = Infinity
  /** The node's tip when the index last reached it. */
  private reachedTip: string | null = null

  constructor(options: FollowerOptions) {
    this.options = options
    this.rules = RULES[options.chain]!
    this.reader = options.reader ?? new BlockReader(options.node, null)
    this.stuck = new StuckBlock(options)
    this.vacuum = new SatVacuum(options.sql)
  }

  /**
   * Indexes blocks up to the node's tip and returns its height. Does not read the index while the node's tip is the same. Calls `onProgress`
   * for each block. If `signal` aborts, rolls back and throws its reason. Throws BlockFault for a block that cannot be indexed.
   */
  async sync(signal: AbortSignal, onProgress?: (height: number, target: number) => void): Promise<number> {
    const close = () => this.reader.close()
    signal.addEventListener('abort', close)
    try {
      return await this.syncAll(signal, onProgress)
    } finally {
      signal.removeEventListener('abort', close)
      await close()
    }
  }

  private async syncAll(
    signal: AbortSignal,
    onProgress?: (height: number, target: number) => void,
  ): Promise<number> {
    const { sql, node } = this.options
    for (;;) {
      const { blocks: target, bestblockhash } = await node.blockchainInfo()
      if (bestblockhash === this.reachedTip) return target
      // A node that leaves a branch and returns to it has the same tip again, and the fault of the other branch is to be cleared.
      this.reachedTip = null
      try {
        await this.undoForeign(signal)
        const tip = await findTip(sql)
        await this.stuck.assertDue(tip?.height ?? -1)
        const next = (tip?.height ?? -1) + 1
        const hashes = await node.blockHashes(next, Math.min(target, next + WINDOW - 1))
        if (hashes.length === 0) {
          this.reachedTip = tip?.blockHash === bestblockhash ? bestblockhash : null
          return next - 1
        }
        const progress = (height: number) => onProgress?.(height, target)
        // After a reorg, the batch does not connect. The next iteration re-reads the tip.
        for await (const batch of blockBatches(this.reader, hashes, next))
          if (!(await this.applyAll(batch, { target, signal, progress }))) break
      } catch (error) {
        if (error instanceof BlockFault && !signal.aborted) await this.stuck.note(error)
        throw error
      }
    }
  }

  /** Makes the next `sync` read the index. Call it if another process may have written the index. */
  forget(): void {
    this.reachedTip = null
  }

  /** Applies a batch, or its blocks one by one if that fails. Returns false if the blocks do not connect to the index. */
  private async applyAll(
    batch: readonly ChainBlock[],
    options: { target: number; signal: AbortSignal; progress: (height: number) => void },
  ): Promise<boolean> {
    const { target, signal, progress } = options
    try {
      const blocks = { 'blocks.first': batch[0]!.height, 'blocks.count': batch.length }
      if (!(await inOwnSpan('blocks', blocks, () => this.apply(batch, target, signal)))) return false
    } catch (error) {
      if (signal.aborted || isTransient(error) || error instanceof BlockFault) throw error
      if (batch.length > 1) {
        for (const block of batch) if (!(await this.applyAll([block], options))) return false
        return true
      }
      const block = batch[0]!
      const fault = new BlockFault(block, error)
      if (await this.stuck.knows(fault)) throw fault
      // Publish the fault first, so that trading pauses immediately.
      await this.stuck.note(fault)
      throw new BlockFault({ ...block, txid: await this.findCulprit(block, signal) }, error)
    }
    await this.stuck.passed(batch.at(-1)!.height)
    for (const { height } of batch) progress(height)
    await this.vacuum.run()
    return true
  }

  /** Bisects for the first transaction that makes a block fail. Every attempt is rolled back. */
  private async findCulprit(block: ChainBlock, signal: AbortSignal): Promise<string | null> {
    const { transactions } = block
    const until = performance.now() + CULPRIT_TIMEOUT_MS
    const failsWith = async (count: number): Promise<boolean> => {
      const prefix = { ...block, transactions: transactions.slice(0, count) }
      try {
        await this.apply([prefix], block.height, signal, 'trial')
        return false
      } catch (error) {
        if (error === ROLLBACK) return false
        if (signal.aborted || isTransient(error)) throw error
        return true
      }
    }
    let [low, high] = [0, transactions.length]
    while (high - low > 1) {
      if (performance.now() > until) return null
      const middle = (low + high) >> 1
      if (await failsWith(middle)) high = middle
      else low = middle
    }
    return transactions[high - 1]!.txid
  }

  /** Undoes blocks that left the node's chain. Throws BranchFault, and undoes nothing, if the reorg is too deep. */
  private async undoForeign(signal: AbortSignal): Promise<void> {
    const { sql, node, log } = this.options
    const tip = await findTip(sql)
    const isShared = async (height: number) =>
      (await findBlockHash(sql, height)) === (await node.blockHash(height))
    if (!tip || (await isShared(tip.height))) return
    const lowest = await this.findUndoLimit(tip)
    let forkHeight = tip.height - 1
    while (forkHeight > lowest && !(await isShared(forkHeight))) forkHeight--
    for (let height = tip.height; height > forkHeight; height--) {
      signal.throwIfAborted()
      log.warn({ height }, 'undoing block after a reorg')
      await this.undo(height)
    }
  }

  /** Returns the lowest height that the index can go back to. Throws BranchFault if the node does not have that block. */
  private async findUndoLimit(tip: { height: number; blockHash: string }): Promise<number> {
    const { sql, node, undoBlocks } = this.options
    const base = (await findBase(sql)) ?? 0
    // While the index was far behind the node, it stored no undo data.
    const undoFrom = (await findUndoFrom(sql)) ?? 0
    const lowest = Math.max(base, tip.height - undoBlocks, undoFrom - 1)
    const hash = await node.blockHash(lowest)
    if (hash === (await findBlockHash(sql, lowest))) return lowest
    if (hash === null)
      throw new BranchFault(
        tip,
        `the node's chain ends below block ${lowest}, the lowest that the index can go back to. Wait until the node is synced.`,
      )
    const [what, mend] =
      lowest === base
        ? [`below block ${base}, the first of the index`, 'start with an empty database']
        : [`by more than ${tip.height - lowest} blocks`, 'restore an older backup']
    throw new BranchFault(
      tip,
      `the chain was reorganized ${what}. Unless the node returns to the old branch, ${mend}.`,
    )
  }

  private undo(height: number): Promise<void> {
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      for (const consumer of this.options.consumers.toReversed()) await consumer.undo(tx, height)
      const inscriptionIds = await unindexBlock(tx, height)
      for (const consumer of this.options.consumers) await consumer.undone?.(tx, inscriptionIds)
    })
  }

  /** Applies consecutive blocks. Returns false if they do not connect. Rolls back a trial run. */
  private async apply(
    batch: readonly ChainBlock[],
    target: number,
    signal: AbortSignal,
    mode: 'commit' | 'trial' = 'commit',
  ): Promise<boolean> {
    const { sql } = this.options
    await readEnvelopes(batch, signal, new Turns())
    let rest = batch
    for (let changes = 0; rest.length > 0; ) {
      const read = { batch: rest.slice(0, this.fitting), target, signal }
      const count =
        changes < MAX_CHANGES
          ? await this.writeFirst(await this.computeFirst(sql, read, new Turns()), read, mode)
          : await this.applyLocked(read, mode)
      if (count === null) return false
      if (count === 0) changes++
      // The coins of blocks that do not fit are loaded again later.
      else if (count < read.batch.length) this.fitting = count
      else if (count === this.fitting) this.fitting++
      rest = rest.slice(count)
    }
    return true
  }

  /** Computes blocks while no other process can change the index. */
  private applyLocked(read: ToApply, mode: 'commit' | 'trial'): Promise<number | null> {
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      const turns = new Turns(() => keepActive(tx))
      return this.write(tx, await this.computeFirst(tx, read, turns), read, mode)
    })
  }

  /** Computes as many blocks as fit into memory. Returns null if they do not connect. */
  private async computeFirst(
    sql: Queryable,
    { batch, target, signal }: ToApply,
    turns: Turns,
  ): Promise<Computed | null> {
    const changes = await findChanges(sql)
    const tip = await findTip(sql)
    if (batch[0]!.height !== (tip?.height ?? -1) + 1)
      throw new Error(
        `block ${batch[0]!.height} is not the next block of the index: another follower is running`,
      )
    let before = tip?.blockHash
    for (const block of batch) {
      if (before !== undefined && block.previousHash !== before) return null
      before = block.hash
    }
    const isNumbered = await this.numbersSats(sql)
    const prepared = await prepareBlocks(sql, batch, {
      tip,
      rules: this.rules,
      sats: isNumbered ? this.sats : null,
      undoFrom: target - this.options.undoBlocks + 1,
      signal,
      turns,
    })
    return { tip, changes, isNumbered, prepared }
  }

  /** Writes computed blocks and returns their number: 0 if the index changed in the meantime. */
  private async writeFirst(
    computed: Computed | null,
    read: ToApply,
    mode: 'commit' | 'trial',
  ): Promise<number | null> {
    if (!computed) return null
    return inTransaction(this.options.sql, async (tx) => {
      await lockIndex(tx)
      if ((await findTip(tx))?.blockHash !== computed.tip?.blockHash) return 0
      if ((await findChanges(tx)) !== computed.changes) return 0
      return this.write(tx, computed, read, mode)
    })
  }

  private async write(
    tx: Transaction,
    computed: Computed | null,
    { signal }: ToApply,
    mode: 'commit' | 'trial',
  ): Promise<number | null> {
    if (!computed) return null
    const { tip, isNumbered, prepared } = computed
    if (!tip) await setSatIndex(tx, isNumbered ? 'on' : 'off')
    const seenAt = new Date()
    await raiseUndoFrom(tx, prepared.undoFrom)
    await writeBlocks(tx, prepared)
    for (const { block, ...events } of prepared.blocks)
      for (const consumer of this.options.consumers) {
        signal.throwIfAborted()
        await consumer.apply(tx, { ...block, ...events, minedAt: new Date(block.time * 1000), seenAt })
      }
    signal.throwIfAborted()
    if (mode === 'trial') throw ROLLBACK
    await this.stuck.clearIn(tx, prepared.blocks.at(-1)!.block.height)
    this.vacuum.note(prepared.ranges)
    return prepared.blocks.length
  }

  /** Returns whether the index numbers sats. Decided at the first block, because numbering cannot start mid-chain. */
  private async numbersSats(sql: Queryable): Promise<boolean> {
    const { satIndex } = this.options
    const known = await findSatIndex(sql)
    return (known ?? satIndex) === 'on' || (known === null && satIndex === 'auto' && this.rules.isSmall)
  }
}

export async function isAtTip(sql: Sql, node: BlockSource): Promise<boolean> {
  const { blocks, bestblockhash } = await node.blockchainInfo()
  return (await findBlockHash(sql, blocks)) === bestblockhash
}
