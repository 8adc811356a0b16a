import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Logger } from 'pino'
import { findFirstHeight } from './inscriptions/adopt-queries.ts'
import type { BlockSource } from './node/source.ts'
import { Rate } from './rate.ts'
import { forgetSync, type Sync, saveSync } from './sync-queries.ts'

const REPORT_MS = 2000
const LOG_MS = 10_000

/** Measures work on transactions, of which the total is known. */
export class TransactionProgress {
  private readonly rate = new Rate()
  private done: number
  total: number

  constructor(done: number, total: number) {
    this.done = done
    this.total = total
    this.rate.note(done)
  }

  add(transactions: number, at?: number): void {
    this.done += transactions
    this.rate.note(this.done, at)
  }

  read(): Sync & { done: number } {
    const { done, total, rate } = this
    const perSecond = rate.perSecond()
    return {
      done,
      percent: Math.min(100, (100 * done) / Math.max(1, total)),
      transactionsPerSecond: perSecond === null ? null : Math.round(perSecond),
      secondsLeft: rate.secondsLeft(Math.max(0, total - done)),
    }
  }
}

/** Reports the progress of a long sync to `settings` and to the log. */
export class SyncReport {
  private readonly sql: Sql
  private readonly log: Logger
  private progress: TransactionProgress | null = null
  /** Transactions below the first block of the index, and in it. */
  private before = 0
  private reportedAt = Number.NEGATIVE_INFINITY
  private loggedAt = Number.NEGATIVE_INFINITY

  constructor(sql: Sql, log: Logger) {
    this.sql = sql
    this.log = log
  }

  /** Notes the last block of the index and the node's tip. Nodes that do not know their transactions have no progress. */
  async aim(node: BlockSource, tipHash: string | null, targetHash: string): Promise<void> {
    const all = await node.transactionCount(targetHash)
    if (all === null) return
    if (!this.progress) {
      this.before = 0
      if (tipHash !== null) {
        const base = await node.blockHash(await findFirstHeight(this.sql))
        this.before = (base === null ? null : await node.transactionCount(base)) ?? 0
      }
      const read = tipHash === null ? 0 : ((await node.transactionCount(tipHash)) ?? 0) - this.before
      this.progress = new TransactionProgress(Math.max(0, read), all - this.before)
    }
    this.progress.total = all - this.before
  }

  async add(transactions: number, height: number): Promise<void> {
    this.progress?.add(transactions)
    if (!this.progress || performance.now() - this.reportedAt < REPORT_MS) return
    this.reportedAt = performance.now()
    const { done, ...sync } = this.progress.read()
    await saveSync(this.sql, sync)
    if (performance.now() - this.loggedAt < LOG_MS) return
    this.loggedAt = performance.now()
    this.log.info({ height, transactions: done, of: this.progress.total, ...sync }, 'reading blocks')
  }

  async end(): Promise<void> {
    if (!this.progress) return
    await forgetSync(this.sql)
    this.progress = null
  }
}
