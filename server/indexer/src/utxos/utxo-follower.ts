import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import type { Logger } from 'pino'
import type { BlockReader } from '../blocks/block-reader.ts'
import { LoadReport } from './load-report.ts'
import { type LoadOptions, loadUtxos } from './load-utxos.ts'
import {
  deleteOldUtxoBlocks,
  deleteUtxoBlock,
  deleteUtxos,
  findUtxoTip,
  forgetUtxos,
  hasUtxoBlock,
  insertUtxoBlock,
  insertUtxos,
  lockUtxos,
  type UtxoTip,
} from './utxo-queries.ts'
import { changesOf, scriptHasher } from './utxo-row.ts'

export interface UtxoFollowerOptions extends LoadOptions {
  /** Only one process writes at a time. */
  sql: Sql
  log: Logger
  reader: BlockReader
  undoBlocks: number
  /** Least time between the starts of two loads, in milliseconds, because a load keeps the node busy. */
  loadPauseMilliseconds: number
}

const WINDOW = 100
const OTHER_WRITER = 'another process writes UTXOs'

/** The UTXOs in the database differ from those of the node. */
class UtxoMismatch extends Error {}

/** Loads the UTXO set from the node, follows the chain, and loads it again whenever it cannot follow. */
export class UtxoFollower {
  private readonly options: UtxoFollowerOptions
  private readonly report: LoadReport
  private loadedAt = Number.NEGATIVE_INFINITY
  /** Signal of the lease. In between, another process may have held it. */
  private term: AbortSignal | null = null
  /** Thrown again while the next load waits, so that the log does not call it recovered. */
  private failure: unknown = null

  constructor(options: UtxoFollowerOptions) {
    this.options = options
    this.report = new LoadReport(options.sql, options.log)
  }

  /**
   * Applies blocks up to the node's tip, or loads the UTXO set. Returns early, or throws the last failure, if the next load has to wait.
   * Reports the state.
   */
  async sync(signal: AbortSignal): Promise<void> {
    if (signal !== this.term) this.report.forget()
    this.term = signal
    try {
      if ((await this.follow(signal)) && !signal.aborted) {
        await this.report.succeed()
        this.failure = null
      }
    } catch (error) {
      this.failure = error
      if (!signal.aborted) await this.report.fail(error)
      throw error
    } finally {
      this.report.end()
    }
  }

  /** Returns false if the UTXO set has to be loaded later. */
  private async follow(signal: AbortSignal): Promise<boolean> {
    const { sql, node, log, loadPauseMilliseconds } = this.options
    while (!signal.aborted) {
      const tip = await findUtxoTip(sql)
      if (!tip) {
        if (performance.now() - this.loadedAt < loadPauseMilliseconds) {
          if (this.failure) throw this.failure
          return false
        }
        this.loadedAt = performance.now()
        await loadUtxos(this.options, this.report, signal)
        log.info({ height: (await findUtxoTip(sql))?.height }, 'UTXO set loaded')
        continue
      }
      const { bestblockhash } = await node.blockchainInfo()
      if (tip.blockHash === bestblockhash) return true
      try {
        const isOnChain = (await node.blockHash(tip.height)) === tip.blockHash
        if (!(await (isOnChain ? this.applyFrom(tip, signal) : this.undo(tip)))) return true
      } catch (error) {
        if (!(error instanceof UtxoMismatch)) throw error
        log.error({ err: error }, 'the UTXOs do not match the node: loading them again')
        await forgetUtxos(sql)
      }
    }
    return true
  }

  /** Applies blocks after the tip. Returns false if there are none. */
  private async applyFrom(tip: UtxoTip, signal: AbortSignal): Promise<boolean> {
    const { node, reader } = this.options
    const hashes = await node.blockHashes(tip.height + 1, tip.height + WINDOW)
    const hashOf = scriptHasher(tip.scriptKey)
    let last = tip
    for (const blockHash of hashes) {
      if (signal.aborted) break
      const block = await reader.read(blockHash)
      // The chain was reorganized in the meantime.
      if (block.previousHash !== last.blockHash) break
      const next = { ...tip, height: last.height + 1, blockHash }
      await this.apply(last, next, changesOf(block, hashOf))
      last = next
    }
    return hashes.length > 0
  }

  private async apply(last: UtxoTip, next: UtxoTip, changes: ReturnType<typeof changesOf>): Promise<void> {
    const { sql, undoBlocks } = this.options
    const { height } = next
    await inTransaction(sql, async (tx) => {
      await lockUtxos(tx)
      if ((await findUtxoTip(tx))?.blockHash !== last.blockHash) throw new Error(OTHER_WRITER)
      const heights = await deleteUtxos(tx, changes.spent)
      if (heights.length !== changes.spent.length)
        throw new UtxoMismatch(
          `block ${height} spends ${changes.spent.length} earlier coins, of which the table has ${heights.length}`,
        )
      const spent = changes.spent.map((row, n) => ({ ...row, height: heights[n]! }))
      const made = changes.made.map((row) => ({ ...row, height }))
      await insertUtxos(tx, made)
      await insertUtxoBlock(tx, next, { made, spent })
      await deleteOldUtxoBlocks(tx, height - undoBlocks)
    })
  }

  /** Undoes a block that left the node's chain. Returns false if there is no undo data and the node may return to the block. */
  private async undo({ height, blockHash }: UtxoTip): Promise<boolean> {
    const { sql, node, log } = this.options
    const isUndone = await inTransaction(sql, async (tx) => {
      await lockUtxos(tx)
      if ((await findUtxoTip(tx))?.blockHash !== blockHash) throw new Error(OTHER_WRITER)
      if (!(await hasUtxoBlock(tx, height - 1))) return false
      const { made, spent } = await deleteUtxoBlock(tx, height)
      const { length } = await deleteUtxos(tx, made)
      if (length !== made.length)
        throw new UtxoMismatch(`block ${height} made ${made.length} coins, of which the table has ${length}`)
      await insertUtxos(tx, spent)
      return true
    })
    if (isUndone) {
      log.warn({ height }, 'undid the UTXOs of a block after a reorg')
      return true
    }
    // A node that starts again can have fewer blocks for a while.
    if ((await node.blockHash(height)) === null) return false
    throw new UtxoMismatch(`the chain was reorganized below block ${height}, which cannot be undone`)
  }
}
