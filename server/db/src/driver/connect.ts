import { Connection } from './connection.ts'
import { open, repeatedly, type Sql, type Transaction } from './driver.ts'
import type { Queryable, Statement } from './statement.ts'

/** A pool, or a transaction in it: queries take either. */
export type { Queryable, Sql, Transaction }
export { Connection }
/** A piece of a statement. */
export type Fragment = Statement

/**
 * Limits of each kind of work, in milliseconds. A request fails fast; a block or a job may take its time;
 * a migration, an import or a test as long as it needs.
 */
const LIMITS = {
  requests: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  reads: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  // Longest are the statements of a large block. A transaction of theirs may rest for less than a lease lasts (lease.ts).
  follower: { connectMs: 2000, statementMs: 120_000, idleMs: 6000 },
  jobs: { connectMs: 2000, statementMs: 30_000, idleMs: 6000 },
  tools: { connectMs: 10_000, statementMs: 0, idleMs: 0 },
}
/** Sessions outside of the pools; their statements are short. */
const WATCHER = {
  connectMs: 2000,
  statementMs: 2000,
  idleMs: 2000,
  settings: { lock_timeout: '1000' },
}

/**
 * Opens a pool. int8 comes back as a number and throws past 2^53; columns come back in camel case. `plansOnce`: statements
 * are planned for any parameters, and not again for each; planning took as long as running the pages that we read most. `isPooled`: the URL leads through a pooler by transaction.
 */
export function connect(
  databaseUrl: string,
  options: {
    max?: number
    plansOnce?: boolean
    as?: keyof typeof LIMITS
    name?: string
    isPooled?: boolean
  } = {},
): Sql {
  const as = options.as ?? 'tools'
  return open(databaseUrl, {
    ...LIMITS[as],
    max: options.max ?? 6,
    applicationName: options.name ?? `ordbook ${as}`,
    isPooled: options.isPooled ?? false,
    ...(options.plansOnce ? { settings: { plan_cache_mode: 'force_generic_plan' } } : {}),
    // The tables of the index grow by orders of magnitude while the chain is read: an old plan would scan them, and so would one
    // that takes a look into an index for a move of a disk's head.
    ...(as === 'follower'
      ? { settings: { plan_cache_mode: 'force_custom_plan', random_page_cost: '1.1' } }
      : {}),
  })
}

/** Opens a connection beside the pools. `onNotify` gets the payloads of its notifications. */
export function connectAlone(
  databaseUrl: string,
  name: string,
  onNotify?: (payload: string) => void,
): Promise<Connection> {
  return Connection.open(databaseUrl, { ...WATCHER, applicationName: `ordbook ${name}` }, onNotify)
}

/** Opens a connection for work that takes as long as it needs: a backup, a restore. */
export function connectForTools(databaseUrl: string, name: string): Promise<Connection> {
  return Connection.open(databaseUrl, { ...LIMITS.tools, applicationName: `ordbook ${name}` })
}

/** The first row of a statement; null where it gives none. */
export async function first<Row>(rows: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await rows
  return row ?? null
}

/** A value for a jsonb column; pack a value that holds bytes first (pack.ts). */
export const json = (sql: Queryable, value: object | null) => sql.json(value)

/** Runs `work` in one transaction, and again if PostgreSQL ended it to break a deadlock. */
export function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return repeatedly(() => sql.begin(work))
}

/** A limit as part of the text of a statement: without it a plan assumes a tenth of the table. */
export function limitOf(sql: Queryable, rows: number): Fragment {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} is no number of rows`)
  return sql.unsafe(String(rows))
}
