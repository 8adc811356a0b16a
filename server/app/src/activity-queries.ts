import type { Queryable } from '@ordbook/db/driver/connect.ts'

export interface Activity {
  /** Hash of the last indexed block; null for an empty index. */
  tip: string | null
  /** Whether a change, settlement or transaction of the market waits for the jobs. */
  isPending: boolean
}

/** Returns what the jobs react to. */
export async function findActivity(sql: Queryable): Promise<Activity> {
  const [row] = await sql<[Activity]>`
    select (select block_hash from blocks order by height desc limit 1) as tip,
      exists (select from order_log_queue)
      or exists (select from settlements where state in ('intended', 'broadcast'))
      or exists (select from market_transactions where state = 'intended')
      or exists (select from escrows where floor > signer_floor) as is_pending`
  return row
}
