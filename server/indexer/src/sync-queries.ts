import { first, type Queryable } from '@ordbook/db/driver/connect.ts'
import { parseJson } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import { Nullable } from './node/answers.ts'

/** Progress of the follower in transactions, because early blocks are small. */
const SYNC = Type.Object({
  percent: Type.Number({ minimum: 0, maximum: 100 }),
  transactionsPerSecond: Nullable(Type.Number({ minimum: 0 })),
  /** Estimated. */
  secondsLeft: Nullable(Type.Integer({ minimum: 0 })),
})
export type Sync = Static<typeof SYNC>
/** As the follower stores it in `settings`. `at` is in milliseconds since 1970. */
const REPORT = Type.Object({ at: Type.Integer(), sync: SYNC })

/** Maximum age of a report. A batch of large blocks can take a minute. */
const SILENT_MS = 180_000

/** Returns the progress while the follower is far behind the node, otherwise null. */
export async function findSync(sql: Queryable, now = Date.now()): Promise<Sync | null> {
  const row = await first(sql<{ value: string }[]>`select value from settings where name = 'sync progress'`)
  const report = row && parseJson(REPORT, row.value)
  return !report || now - report.at > SILENT_MS ? null : report.sync
}

export async function saveSync(sql: Queryable, sync: Sync): Promise<void> {
  await sql`
    insert into settings (name, value) values ('sync progress', ${JSON.stringify({ at: Date.now(), sync })})
    on conflict (name) do update set value = excluded.value`
}

export async function forgetSync(sql: Queryable): Promise<void> {
  await sql`delete from settings where name = 'sync progress'`
}
