import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Logger } from 'pino'
import type { BlockSource } from '../node/source.ts'
import { BlockFault } from './block-fault.ts'
import { clearIndexFault, findIndexFault, setIndexFault } from './fault-queries.ts'

/** The first pause before a block is tried again, and the longest; each is twice the one before. */
const PAUSE_MILLISECONDS = 1000
const LONGEST_MILLISECONDS = 60_000

/**
 * The block that cannot be indexed. It is kept in the database, where every server sees it and pauses trading. The follower
 * tries it again after longer and longer pauses, at once after a start (the code may be new), and forgets it when it passes or
 * leaves the chain.
 */
export class StuckBlock {
  private readonly sql: Sql
  private readonly node: BlockSource
  private readonly log: Logger
  /** Null while there is none; undefined before the database was asked. */
  private fault: BlockFault | null | undefined
  private pauseMilliseconds = 0
  private retryAt = 0

  constructor({ sql, node, log }: { sql: Sql; node: BlockSource; log: Logger }) {
    this.sql = sql
    this.node = node
    this.log = log
  }

  /** Throws the fault while it is not time to try again. */
  async assertDue(tipHeight: number): Promise<void> {
    const fault = await this.find()
    if (!fault) return
    const hash = await this.node.blockHash(fault.height)
    if (hash !== fault.hash || tipHeight >= fault.height) await this.clear(fault)
    else if (performance.now() < this.retryAt) throw fault
  }

  /** True when the block failed before for the same reason. */
  async knows(fault: BlockFault): Promise<boolean> {
    const known = await this.find()
    return known?.hash === fault.hash && known.reason === fault.reason
  }

  /** Writes a fault down; a transaction that is known already stays. */
  async note(fault: BlockFault): Promise<void> {
    const known = await this.knows(fault)
    if (known && (!fault.txid || this.fault?.txid)) return
    this.log.error({ err: fault }, fault.message)
    if (!known) this.pauseMilliseconds = 0
    this.fault = fault
    const { height, hash, txid, reason } = fault
    await setIndexFault(this.sql, { height, blockHash: hash, txid, reason, since: new Date() })
  }

  /** Begins the next pause. */
  postpone(): void {
    // A fault that was thrown because it is not due yet has its pause already.
    if (performance.now() < this.retryAt) return
    this.pauseMilliseconds = Math.min(
      LONGEST_MILLISECONDS,
      Math.max(PAUSE_MILLISECONDS, this.pauseMilliseconds * 2),
    )
    this.retryAt = performance.now() + this.pauseMilliseconds
  }

  /** The index has reached a height. */
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
