import { Connection } from './connection.ts'
import { open, repeatedly, type Sql, type Transaction } from './driver.ts'
import type { Queryable, Statement } from './statement.ts'
import { allowSigning } from './transaction-scope.ts'

export type { Queryable, Sql, Transaction }
export { Connection }
export type Fragment = Statement

/** Limits per kind of work, in milliseconds; 0 for none. */
const LIMITS = {
  requests: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  reads: { connectMs: 2000, statementMs: 8000, idleMs: 8000 },
  // Large blocks have slow statements. `idleMs` must be shorter than a lease (lease.ts).
  follower: { connectMs: 2000, statementMs: 120_000, idleMs: 6000 },
  jobs: { connectMs: 2000, statementMs: 30_000, idleMs: 6000 },
  tools: { connectMs: 10_000, statementMs: 0, idleMs: 0 },
}
/** For sessions outside the pools, with short statements. */
const WATCHER = {
  connectMs: 2000,
  statementMs: 2000,
  idleMs: 2000,
  settings: { lock_timeout: '1000' },
}

/**
 * Opens a pool. Returns columns in camel case and int8 as a number; values above 2^53 throw. `plansOnce` uses generic plans, because
 * planning frequent pages took as long as running them. `isReadOnly` makes transactions read-only by default. Set `isPooled` for a
 * transaction pooler.
 */
export function connect(
  databaseUrl: string,
  options: {
    max?: number
    plansOnce?: boolean
    as?: keyof typeof LIMITS
    name?: string
    isPooled?: boolean
    isReadOnly?: boolean
  } = {},
): Sql {
  const as = options.as ?? 'tools'
  return open(databaseUrl, {
    ...LIMITS[as],
    max: options.max ?? 6,
    applicationName: options.name ?? `ordbook ${as}`,
    isPooled: options.isPooled ?? false,
    settings: {
      ...(options.plansOnce ? { plan_cache_mode: 'force_generic_plan' } : {}),
      // The index grows by orders of magnitude during the initial sync, so cached plans would scan it. So would the default random_page_cost.
      ...(as === 'follower' ? { plan_cache_mode: 'force_custom_plan', random_page_cost: '1.1' } : {}),
      ...(options.isReadOnly ? { default_transaction_read_only: 'on' } : {}),
    },
  })
}

export function connectSingle(
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

/** Wraps a value for a jsonb column. Pack values with bytes first (pack.ts). */
export const json = (sql: Queryable, value: object | null) => sql.json(value)

/** Runs `work` in a transaction. After a deadlock, `work` runs again. It must not wait for other processes (transaction-scope.ts). */
export function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return repeatedly(() => sql.begin(work))
}

/**
 * Runs `work` in a transaction that may wait for signer and guardian. For the submit of an order: the keys sign only what is reserved, and
 * nothing is reserved unless they sign. If they take longer than the idle timeout, PostgreSQL rolls back. Waits if too many run already.
 */
export function inSigningTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return sql.signing.run(() => allowSigning(() => inTransaction(sql, work)))
}

/** Returns a limit as literal SQL. With a parameter, the planner would assume a tenth of the table. */
export function limitOf(sql: Queryable, rows: number): Fragment {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} is not a row count`)
  return sql.unsafe(String(rows))
}
