import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import postgres from 'postgres'

/** A pool, or a transaction in it: queries take either. */
export type Sql = postgres.Sql<{ bigint: number }>
export type Transaction = postgres.TransactionSql<{ bigint: number }>
export type Queryable = Sql | Transaction
/** A piece of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/**
 * Opens a pool. int8 comes back as a number and throws past 2^53; columns come back in camel case. `plansOnce`: statements
 * are planned for any parameters, not anew for each; planning took as long as running the pages that we read most.
 */
export function connect(databaseUrl: string, options: { max?: number; plansOnce?: boolean } = {}): Sql {
  return postgres(databaseUrl, {
    max: options.max ?? 6,
    connection: options.plansOnce ? { plan_cache_mode: 'force_generic_plan' } : {},
    onnotice: () => {},
    connect_timeout: 10,
    transform: { column: { from: postgres.toCamel } },
    types: {
      // Plain byte arrays, not Buffers: those have ways of their own (toJSON, a slice that shares memory).
      bytea: {
        to: 17,
        from: [17],
        serialize: (value: Uint8Array) => `\\x${bytesToHex(value)}`,
        parse: (value: string) => hexToBytes(value.slice(2)),
      },
      bigint: {
        to: 20,
        from: [20],
        serialize: (value: number) => String(value),
        parse: (value: string) => {
          const number = Number(value)
          if (!Number.isSafeInteger(number)) throw new RangeError(`${value} does not fit a safe integer`)
          return number
        },
      },
    },
  }) as unknown as Sql
}

/** A value for a jsonb column; what has bytes in it is packed first. */
export const json = (sql: Queryable, value: object | null) => sql.json(value as postgres.JSONValue)

/** What PostgreSQL says when it ended a transaction so that others could go on. */
const TRY_AGAIN = new Set(['40P01', '40001'])
const MOST_TRIES = 5

/** Runs `work` in one transaction; again, where PostgreSQL ended it to break a deadlock. */
export async function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return (await sql.begin(work)) as T
    } catch (error) {
      if (!TRY_AGAIN.has((error as { code?: string }).code ?? '') || attempt >= MOST_TRIES) throw error
    }
}

/** A limit as part of the text of a statement: a plan that does not know it takes a tenth of the table for wanted. */
export function limitOf(sql: Queryable, rows: number): Fragment {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} is no number of rows`)
  return sql.unsafe(String(rows)) as Fragment
}
