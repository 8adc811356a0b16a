import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Logger } from 'pino'
import type { BlockSource } from '../node/source.ts'
import { BlockFault } from './block-fault.ts'
import { clearIndexFault, findIndexFault, setIndexFault } from './fault-queries.ts'

/** First and longest pause before a block is retried; the pause doubles each time. */
const PAUSE_MILLISECONDS = 1000
const MAX_MILLISECONDS = 60_000

/**
 * The block that cannot be indexed. It is stored in the database, so that every server pauses trading. The follower retries it with
 * increasing pauses, and immediately after a restart (the code may be new). It is cleared when the block succeeds or leaves the chain.
 */
export class StuckBlock {
  private readonly sql: Sql
  private readonly node: BlockSource
  private readonly log: Logger
  /** Null if there is none; undefined until it is loaded from the database. */
  private fault: BlockFault | null | undefined
  private pauseMilliseconds = 0
  private retryAt = 0

  constructor({ sql, node, log }: { sql: Sql; node: BlockSource; log: Logger }) {
    this.sql = sql
    this.node = node
    this.log = log
  }

  /** Throws the fault if its retry is not due yet. Clears it if the block was replaced or indexed. */
  async assertDue(tipHeight: number): Promise<void> {
    const fault = await this.find()
    if (!fault) return
    const hash = await this.node.blockHash(fault.height)
    if (hash !== fault.hash || tipHeight >= fault.height) await this.clear(fault)
    else if (performance.now() < this.retryAt) throw fault
  }

  /** Whether the block failed before for the same reason. */
  async knows(fault: BlockFault): Promise<boolean> {
    const known = await this.find()
    return known?.hash === fault.hash && known.reason === fault.reason
  }

  /** Stores a fault, unless it is known already. A known transaction is not overwritten. */
  async note(fault: BlockFault): Promise<void> {
    const known = await this.knows(fault)
    if (known && (!fault.txid || this.fault?.txid)) return
    this.log.error({ err: fault }, fault.message)
    if (!known) this.pauseMilliseconds = 0
    this.fault = fault
    const { height, hash, txid, reason } = fault
    await setIndexFault(this.sql, { height, blockHash: hash, txid, reason, since: new Date() })
  }

  /** Starts the next pause. */
  postpone(): void {
    // The fault was thrown because its retry is not due, so its pause is running already.
    if (performance.now() < this.retryAt) return
    this.pauseMilliseconds = Math.min(
      MAX_MILLISECONDS,
      Math.max(PAUSE_MILLISECONDS, this.pauseMilliseconds * 2),
    )
    this.retryAt = performance.now() + this.pauseMilliseconds
  }

  /** Called when the index has reached a height. */
  async passed(height: number): Promise<void> {
    const fault = await this.find()
    if (fault && height >= fault.height) await this.clear(fault)
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
