import pg from 'pg'
import { Fault } from '../process/errors.ts'

/** The database does not answer now. `cause` is for the log; no client gets it. */
export class DatabaseOutage extends Fault {
  constructor(cause: unknown) {
    super('database-unavailable', 'The database does not answer now: try again shortly', {
      cause,
      retryAfterSeconds: 2,
    })
    this.name = 'DatabaseOutage'
  }
}

/** Codes by which PostgreSQL says that it cannot serve, independent of the statement (its manual, appendix A). */
const CANNOT_SERVE = new Set([
  '25006', // read-only: a standby, or a primary that is no longer one
  '25P03', // idle in a transaction for too long
  '25P04', // a transaction that took too long
  '55P03', // a lock that was not free in time
  '57014', // a statement that took too long
  '57P01', // ended by an administrator
  '57P02', // ended because another session crashed
  '57P03', // starting up or shutting down
  '57P05', // idle for too long
])
/** Classes: connection, insufficient resources (full disk, no memory, no connection left), system error, internal error. */
const CANNOT_SERVE_CLASSES = new Set(['08', '53', '58', 'XX'])
/** PostgreSQL ended a transaction so that others could go on: serialisation, deadlock. */
const TRY_AGAIN = new Set(['40P01', '40001'])

/** The SQLSTATE that PostgreSQL gave, behind an outage too; empty where it gave none. */
export function codeOf(error: unknown): string {
  if (error instanceof DatabaseOutage) return codeOf(error.cause)
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}

/** The reason of an outage in the words of PostgreSQL or of the system. */
export function reasonOf({ cause }: DatabaseOutage): string {
  if (cause instanceof DatabaseOutage) return reasonOf(cause)
  return cause instanceof Error
    ? cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name)
    : String(cause)
}

/** True when PostgreSQL refused a statement and the connection is fine. After any other error it must be destroyed. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && !isStalePlan(error)

/** A plan from before a migration; another connection plans again. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'

/** True when the same statement or transaction may succeed at once: it was rolled back whole. */
export const isWorthRepeating = (error: unknown): boolean =>
  TRY_AGAIN.has(codeOf(error)) || isStalePlan(error)

/** An error as callers see it: an outage where the database, and not the statement, is to blame; else as it is. */
export function asOutage(error: unknown): unknown {
  if (error instanceof Fault || error instanceof RangeError || error instanceof TypeError) return error
  const code = codeOf(error)
  const isServed =
    error instanceof pg.DatabaseError &&
    error.severity === 'ERROR' &&
    !CANNOT_SERVE.has(code) &&
    !CANNOT_SERVE_CLASSES.has(code.slice(0, 2))
  return isServed ? error : new DatabaseOutage(error)
}
