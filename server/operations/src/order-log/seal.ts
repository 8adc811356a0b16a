import type { Sql } from '@ordbook/db/driver/connect.ts'
import { sealChanges } from './queries.ts'

/** Changes that get positions per statement. */
const ROWS = 5000

/** Gives every change of the order log that is written its position. One process at a time. */
export async function sealOrderLog(sql: Sql): Promise<void> {
  while ((await sealChanges(sql, ROWS)) === ROWS);
}
