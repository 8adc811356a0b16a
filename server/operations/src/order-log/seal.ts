import type { Sql } from '@ordbook/db/driver/connect.ts'
import { sealChanges } from './queries.ts'

/** Changes that get positions per statement. */
const ROWS = 5000

/** Assigns a position to every stored change. Must not run concurrently. */
export async function sealOrderLog(sql: Sql): Promise<void> {
  while ((await sealChanges(sql, ROWS)) === ROWS);
}
