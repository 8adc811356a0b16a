import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Logger } from 'pino'
import { Rate } from '../rate.ts'
import { failureOf } from './load-failure.ts'
import { findIndexingPercent, forgetUtxoLoad, saveUtxoLoad, type UtxoLoad } from './load-queries.ts'

const REPORT_MS = 2000
const LOG_MS = 10_000
const REPEAT_MS = 30_000
const MAX_DETAIL = 500

/** Reports the state of the UTXO set to `settings` and to the log. */
export class LoadReport {
  private readonly sql: Sql
  private readonly log: Logger
  private phase: UtxoLoad['phase'] = null
  private coins: { read: number; total: number } | null = null
  private rate = new Rate()
  private failure: UtxoLoad['failure'] = null
  private timer: NodeJS.Timeout | undefined
  private saving: Promise<void> = Promise.resolve()
  private loggedAt = Number.NEGATIVE_INFINITY
  /** Whether `settings` has no report, as far as known. */
  private isForgotten = false

  constructor(sql: Sql, log: Logger) {
    this.sql = sql
    this.log = log
  }

  /** Call it if another process may have written the report. */
  forget(): void {
    this.isForgotten = false
    this.failure = null
  }

  enter(phase: NonNullable<UtxoLoad['phase']>): void {
    this.phase = phase
    this.coins = phase === 'waiting' ? null : this.coins
    this.rate = new Rate()
    this.loggedAt = Number.NEGATIVE_INFINITY
    this.timer ??= setInterval(() => this.save(), REPORT_MS)
    this.save()
  }

  read(read: number, total: number): void {
    this.coins = { read, total }
  }

  /** Records why the load or a block failed. */
  async fail(error: unknown): Promise<void> {
    const detail = error instanceof Error ? error.message : String(error)
    const failure = { at: Date.now(), is: failureOf(error), detail: detail.slice(0, MAX_DETAIL) }
    const { phase, failure: before } = this
    this.end()
    // While the node is down, each pass fails.
    if (phase === null && before?.is === failure.is && failure.at - before.at < REPEAT_MS) return
    this.failure = failure
    await this.save()
  }

  /** Records that the table follows the node. */
  async succeed(): Promise<void> {
    this.end()
    this.failure = null
    if (this.isForgotten) return
    await this.saving
    await forgetUtxoLoad(this.sql)
    this.isForgotten = true
  }

  /** Ends the reports of a load. */
  end(): void {
    clearInterval(this.timer)
    this.timer = undefined
    this.phase = this.coins = null
  }

  /** A report that cannot be written is left out. */
  private save(): Promise<void> {
    this.isForgotten = false
    this.saving = this.saving.then(() => this.write()).catch(() => {})
    return this.saving
  }

  private async write(): Promise<void> {
    const { phase, coins, failure, rate } = this
    const percent =
      phase === 'reading' && coins
        ? (100 * coins.read) / Math.max(1, coins.total)
        : phase === 'indexing'
          ? await findIndexingPercent(this.sql)
          : null
    if (percent !== null) rate.note(percent)
    const progress = {
      phase,
      coinsRead: coins?.read ?? null,
      coinsTotal: coins?.total ?? null,
      percent,
      secondsLeft: percent === null ? null : rate.secondsLeft(100 - percent),
    }
    if (phase !== null && performance.now() - this.loggedAt > LOG_MS) {
      this.loggedAt = performance.now()
      this.log.info(progress, 'loading the UTXO set')
    }
    await saveUtxoLoad(this.sql, { at: Date.now(), ...progress, failure })
  }
}
