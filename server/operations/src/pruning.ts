import { deleteOldEvents } from '@ordbook/http/events/event-queries.ts'
import { deleteOldKeys } from '@ordbook/http/operations/idempotency.ts'
import { deleteOldMoves } from '@ordbook/indexer/inscriptions/queries.ts'
import { deleteOldSessions, deleteOldSignIns } from '@ordbook/market/auth/queries.ts'
import type { Context } from '@ordbook/market/context.ts'
import { deleteOldInbox } from '@ordbook/market/inbox/queries.ts'
import { deleteExpiredPreflights } from '@ordbook/market/preflight/queries.ts'

/** Rows per statement, which limits how long it holds locks. */
const ROWS = 5000
/** Statements per run. The next run continues. */
const STATEMENTS = 20

type Needs = Pick<Context, 'sql' | 'config'>

/** Functions that delete up to `most` expired rows. docs/reference/retention.md lists all tables. */
export const PRUNED: Readonly<Record<string, (needs: Needs, now: Date, most: number) => Promise<number>>> = {
  preflights: ({ sql }, now, most) => deleteExpiredPreflights(sql, now, most),
  auth_requests: ({ sql }, now, most) => deleteOldSignIns(sql, now, most),
  sessions: ({ sql }, now, most) => deleteOldSessions(sql, now, most),
  idempotency_keys: ({ sql }, now, most) => deleteOldKeys(sql, now, most),
  live_events: ({ sql }, now, most) => deleteOldEvents(sql, now, most),
  inbox: ({ sql }, now, most) => deleteOldInbox(sql, now, most),
  coin_moves: async ({ sql, config: { movesRetentionBlocks } }, _, most) =>
    movesRetentionBlocks === 0 ? 0 : deleteOldMoves(sql, movesRetentionBlocks, most),
}

/** Deletes in batches. Returns the number of deleted rows. */
export async function inBatches(deleteSome: (most: number) => Promise<number>): Promise<number> {
  let total = 0
  for (let n = 0; n < STATEMENTS; n++) {
    const rows = await deleteSome(ROWS)
    total += rows
    if (rows < ROWS) break
  }
  return total
}
