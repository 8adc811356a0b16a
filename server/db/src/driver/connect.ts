import { Connection } from './connection.ts'
import { open, repeatedly, type Sql, type Transaction } from './driver.ts'
import type { Queryable, Statement } from './statement.ts'

export type { Queryable, Sql, Transaction }
export { Connection }
export type Fragment = Statement

/**
 * Limits per kind of work, in milliseconds; 0 for none. Requests fail fast. Blocks and jobs can take longer.
 */
const LIMITS = {
  requests: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  reads: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  // The statements of a large block are the slowest. `idleMs` must be shorter than a lease (lease.ts).
  follower: { connectMs: 2000, statementMs: 120_000, idleMs: 6000 },
  jobs: { connectMs: 2000, statementMs: 30_000, idleMs: 6000 },
  tools: { connectMs: 10_000, statementMs: 0, idleMs: 0 },
}
/** Sessions outside the pools, which run short statements. */
const WATCHER = {
  connectMs: 2000,
  statementMs: 2000,
  idleMs: 2000,
  settings: { lock_timeout: '1000' },
}

/**
 * Opens a pool. Columns are returned in camel case. int8 is returned as a number; values above 2^53 throw.
 * `plansOnce`: use generic plans, because planning the most frequent pages took as long as running them.
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
    // During the initial sync, the index tables grow by orders of magnitude, so a cached plan would scan
    // them. The default random_page_cost, for spinning disks, has the same effect.
    ...(as === 'follower'
      ? { settings: { plan_cache_mode: 'force_custom_plan', random_page_cost: '1.1' } }
      : {}),
  })
}

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

export async function first<Row>(rows: PromiseLike<readonly Row[]>): Promise<Row | null> {
  const [row] = await rows
  return row ?? null
}

/** Wraps a value for a jsonb column. Values with bytes must be packed first (pack.ts). */
export const json = (sql: Queryable, value: object | null) => sql.json(value)

/** Runs `work` in a transaction. Retries after a deadlock, so `work` can run several times. */
export function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return repeatedly(() => sql.begin(work))
}

/** Returns a limit as literal SQL. For a parameter, the planner would assume a tenth of the table. */
export function limitOf(sql: Queryable, rows: number): Fragment {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} is not a row count`)
  return sql.unsafe(String(rows))
}
