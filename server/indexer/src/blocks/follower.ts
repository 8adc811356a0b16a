import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { inOwnSpan } from '@ordbook/db/process/span.ts'
import type { Logger } from 'pino'
import { findFirstHeight } from '../inscriptions/adopt-queries.ts'
import { findBlockHash, findTip, findUndoFrom, lockIndex } from '../inscriptions/queries.ts'
import { type BlockSource, SourceFault } from '../node/source.ts'
import { SatVacuum } from '../sats/sat-vacuum.ts'
import { SyncReport } from '../sync-progress.ts'
import { type ApplierOptions, BlockApplier, ROLLBACK } from './apply-blocks.ts'
import { blockBatches } from './block-batches.ts'
import { BlockFault, BranchFault, isTransient, RejectedRecords } from './block-fault.ts'
import { BlockReader } from './block-reader.ts'
import { type ChainBlock, unindexBlock } from './index-blocks.ts'
import { StuckBlock } from './stuck-block.ts'

export interface FollowerOptions extends ApplierOptions {
  node: BlockSource
  /** Default: reads from `node`, without a thread. */
  reader?: BlockReader
  log: Logger
}

const WINDOW = 1000
/** A sync of so many blocks reports its progress. */
const LONG_SYNC_BLOCKS = 100
const CULPRIT_TIMEOUT_MS = 60_000

export class Follower {
  private readonly options: FollowerOptions
  private readonly reader: BlockReader
  private readonly stuck: StuckBlock
  private readonly vacuum: SatVacuum
  private readonly applier: BlockApplier
  private readonly report: SyncReport
  /** The node's tip when the index last reached it. */
  private reachedTip: string | null = null

  constructor(options: FollowerOptions) {
    this.options = options
    this.reader = options.reader ?? new BlockReader(options.node, null)
    this.stuck = new StuckBlock(options)
    this.vacuum = new SatVacuum(options.sql)
    this.applier = new BlockApplier(options, this.stuck, this.vacuum)
    this.report = new SyncReport(options.sql, options.log)
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
          await this.report.end()
          return next - 1
        }
        if (target - next >= LONG_SYNC_BLOCKS)
          await this.report.aim(node, tip?.blockHash ?? null, bestblockhash)
        const progress = (height: number) => onProgress?.(height, target)
        // After a reorg, the batch does not connect. The next iteration re-reads the tip.
        for await (const batch of blockBatches(this.reader, hashes, next))
          if (!(await this.applyAll(batch, { target, signal, progress }))) break
      } catch (error) {
        if (error instanceof BlockFault && !signal.aborted) {
          await this.assertActive(error)
          await this.stuck.note(error)
        }
        throw error
      }
    }
  }

  /** Throws a transient error if the block left the node's chain. Nodes may lack the spent outputs of such a block. */
  private async assertActive(fault: BlockFault): Promise<void> {
    if (fault instanceof BranchFault || (await this.options.node.blockHash(fault.height)) === fault.hash)
      return
    throw new SourceFault('unknown', `block ${fault.height} left the node's chain while it was read`)
  }

  /** Makes the next `sync` read the index. Call it if another process may have written the index. */
  forget(): void {
    this.reachedTip = null
    this.stuck.forget()
  }

  /** Applies a batch, or its blocks one by one if that fails. Returns false if the blocks do not connect to the index. */
  private async applyAll(
    batch: readonly ChainBlock[],
    options: { target: number; signal: AbortSignal; progress: (height: number) => void },
    without: ReadonlySet<string> = new Set(),
  ): Promise<boolean> {
    const { target, signal, progress } = options
    try {
      const blocks = { 'blocks.first': batch[0]!.height, 'blocks.count': batch.length }
      if (!(await inOwnSpan('blocks', blocks, () => this.applier.apply({ batch, target, signal, without }))))
        return false
    } catch (error) {
      if (signal.aborted || isTransient(error) || error instanceof BlockFault) throw error
      if (batch.length > 1) {
        const indexed = (await findTip(this.options.sql))?.height ?? -1
        for (const block of batch)
          if (block.height > indexed && !(await this.applyAll([block], options))) return false
        return true
      }
      const block = batch[0]!
      if (error instanceof RejectedRecords) {
        const { height } = block
        this.options.log.error(
          { err: error, height },
          `indexing block ${height} without its ${error.message}`,
        )
        return this.applyAll(batch, options, new Set([...without, error.consumer]))
      }
      const fault = new BlockFault(block, error)
      if (await this.stuck.knows(fault)) throw fault
      // Publish the fault first, so that trading pauses immediately.
      await this.stuck.note(fault)
      throw new BlockFault({ ...block, txid: await this.findCulprit(block, signal, without) }, error)
    }
    await this.stuck.passed(batch.at(-1)!.height)
    for (const { height, transactions } of batch) {
      progress(height)
      await this.report.add(transactions.length, height)
    }
    await this.vacuum.run()
    return true
  }

  /** Bisects for the first transaction that makes a block fail. Every attempt is rolled back. */
  private async findCulprit(
    block: ChainBlock,
    signal: AbortSignal,
    without: ReadonlySet<string>,
  ): Promise<string | null> {
    const { transactions } = block
    const until = performance.now() + CULPRIT_TIMEOUT_MS
    const failsWith = async (count: number): Promise<boolean> => {
      const prefix = { ...block, transactions: transactions.slice(0, count) }
      try {
        await this.applier.apply({ batch: [prefix], target: block.height, signal, without }, 'trial')
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
    const base = await findFirstHeight(sql)
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
}

export async function isAtTip(sql: Sql, node: BlockSource): Promise<boolean> {
  const { blocks, bestblockhash } = await node.blockchainInfo()
  return (await findBlockHash(sql, blocks)) === bestblockhash
}
