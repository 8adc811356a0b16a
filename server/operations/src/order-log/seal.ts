import type { Sql } from '@ordbook/db/driver/connect.ts'
import { sealChanges } from './queries.ts'

/** Changes per statement. */
const ROWS = 5000

/** Assigns positions to all queued changes. Must not run concurrently. */
export async function sealOrderLog(sql: Sql): Promise<void> {
  while ((await sealChanges(sql, ROWS)) === ROWS);
}
