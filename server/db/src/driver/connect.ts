import { Connection } from './connection.ts'
import { open, repeatedly, type Sql, type Transaction } from './driver.ts'
import type { Queryable, Statement } from './statement.ts'

/** A pool, or a transaction in it: queries accept both. */
export type { Queryable, Sql, Transaction }
export { Connection }
/** Part of a statement. */
export type Fragment = Statement

/**
 * Limits per kind of work, in milliseconds. Requests fail fast; blocks and jobs may take longer; migrations, imports and tests have no
 * limit.
 */
const LIMITS = {
  requests: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  reads: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  // Statements of a large block take longest. `idleMs` must be shorter than a lease (lease.ts).
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
 * Opens a pool. int8 is returned as a number and throws past 2^53; columns are returned in camel case.
 * `plansOnce`: use generic plans. For the most frequent pages, planning took as long as running.
 * `isPooled`: the URL leads to a transaction pooler.
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
    // The index tables grow by orders of magnitude during the initial sync, so a cached plan would scan them. So would a plan made with the
    // default random_page_cost, which is meant for spinning disks.
    ...(as === 'follower'
      ? { settings: { plan_cache_mode: 'force_custom_plan', random_page_cost: '1.1' } }
      : {}),
  })
}

/** Opens a connection outside the pools. `onNotify` receives the payloads of its notifications. */
export function connectAlone(
  databaseUrl: string,
  name: string,
  onNotify?: (payload: string) => void,
): Promise<Connection> {
  return Connection.open(databaseUrl, { ...WATCHER, applicationName: `ordbook ${name}` }, onNotify)
}

/** Opens a connection without a statement timeout, for backups and restores. */
export function connectForTools(databaseUrl: string, name: string): Promise<Connection> {
  return Connection.open(databaseUrl, { ...LIMITS.tools, applicationName: `ordbook ${name}` })
}

/** Returns the first row of a statement, or null. */
export async function first<Row>(rows: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await rows
  return row ?? null
}

/** A value for a jsonb column. Pack values that contain bytes first (pack.ts). */
export const json = (sql: Queryable, value: object | null) => sql.json(value)

/** Runs `work` in one transaction. Retries if PostgreSQL aborted it because of a deadlock, so `work` may run more than once. */
export function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return repeatedly(() => sql.begin(work))
}

/** A limit as literal SQL. With a parameter, the planner would assume a tenth of the table. */
export function limitOf(sql: Queryable, rows: number): Fragment {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} is not a row count`)
  return sql.unsafe(String(rows))
}
