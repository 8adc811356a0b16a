import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { SatWrites } from './sat-batch.ts'
import { estimateSatRows, vacuumSats } from './sat-queries.ts'

/** Vacuum after this many deleted rows, if they are this share of the table. */
const MIN_DELETED = 50_000
const MIN_SHARE = 0.05

/**
 * Vacuums the tables of sat ranges. A sync replaces most rows every few blocks, and autovacuum looks once a minute, so the tables would
 * grow to several times their size.
 */
export class SatVacuum {
  private readonly sql: Sql
  private deleted = 0

  constructor(sql: Sql) {
    this.sql = sql
  }

  note(writes: SatWrites | null): void {
    if (writes) this.deleted += writes.deleted.length + writes.deletedChunks.length
  }

  /** Call it outside of transactions. */
  async run(): Promise<void> {
    if (this.deleted < MIN_DELETED) return
    if (this.deleted < (await estimateSatRows(this.sql)) * MIN_SHARE) return
    this.deleted = 0
    await vacuumSats(this.sql)
  }
}
