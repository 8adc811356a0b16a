import type { Sql, Transaction } from '@ordbook/db/driver/connect.ts'
import type { Logger } from 'pino'
import type { BlockSource } from '../node/source.ts'
import { BlockFault } from './block-fault.ts'
import { clearIndexFault, findIndexFault, setIndexFault } from './fault-queries.ts'

/** First and longest retry delay. The delay doubles each time. */
const MIN_DELAY_MS = 1000
const MAX_DELAY_MS = 60_000

/**
 * The block that cannot be indexed, stored so that all servers pause trading. The follower retries it with backoff and after a restart,
 * because a new version may index it.
 */
export class StuckBlock {
  private readonly sql: Sql
  private readonly node: BlockSource
  private readonly log: Logger
  private fault: BlockFault | null | undefined
  private delayMilliseconds = 0
  private retryAt = 0

  constructor({ sql, node, log }: { sql: Sql; node: BlockSource; log: Logger }) {
    this.sql = sql
    this.node = node
    this.log = log
  }

  /** Throws the fault until its retry is due. Clears it if the block was replaced or indexed. */
  async assertDue(tipHeight: number): Promise<void> {
    const fault = await this.find()
    if (!fault) return
    const hash = await this.node.blockHash(fault.height)
    if (hash !== fault.hash || tipHeight >= fault.height) await this.clear(fault)
    else if (performance.now() < this.retryAt) throw fault
  }

  async knows(fault: BlockFault): Promise<boolean> {
    const known = await this.find()
    return known?.hash === fault.hash && known.reason === fault.reason
  }

  /** Stores a new fault and schedules the retry. Keeps a stored txid. */
  async note(fault: BlockFault): Promise<void> {
    const known = await this.knows(fault)
    if (!known) this.delayMilliseconds = this.retryAt = 0
    this.postpone()
    if (known && (!fault.txid || this.fault?.txid)) return
    this.log.error({ err: fault }, fault.message)
    const { height, hash, txid, reason } = fault
    await setIndexFault(this.sql, { height, blockHash: hash, txid, reason, since: new Date() })
    this.fault = fault
  }

  private postpone(): void {
    // `assertDue` threw this fault, so its retry is already scheduled.
    if (performance.now() < this.retryAt) return
    this.delayMilliseconds = Math.min(MAX_DELAY_MS, Math.max(MIN_DELAY_MS, this.delayMilliseconds * 2))
    this.retryAt = performance.now() + this.delayMilliseconds
  }

  /** Clears the fault in the transaction that indexes its block, so that no reader sees both. Call `passed` after the commit. */
  async clearIn(tx: Transaction, height: number): Promise<void> {
    const fault = await this.find()
    if (fault && height >= fault.height) await clearIndexFault(tx)
  }

  async passed(height: number): Promise<void> {
    const fault = await this.find()
    if (fault && height >= fault.height) await this.clear(fault)
  }

  /** Reads the stored fault again at the next use. */
  forget(): void {
    this.fault = undefined
  }

  private async find(): Promise<BlockFault | null> {
    if (this.fault === undefined) {
      const row = await findIndexFault(this.sql)
      this.fault = row && new BlockFault({ ...row, hash: row.blockHash }, new Error(row.reason))
    }
    return this.fault
  }

  private async clear({ height, hash }: BlockFault): Promise<void> {
    await clearIndexFault(this.sql)
    this.fault = null
    this.log.info({ height, hash }, 'follower resumed after a block that could not be indexed')
  }
}
