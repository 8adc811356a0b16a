import pg from 'pg'
import { Fault } from '../process/errors.ts'

/** The database is unavailable. `cause` is only for the log, never for clients. */
export class DatabaseOutage extends Fault {
  constructor(cause: unknown) {
    super('database-unavailable', 'The database does not answer now: try again shortly', {
      cause,
      retryAfterSeconds: 2,
    })
    this.name = 'DatabaseOutage'
  }
}

/** SQLSTATE codes meaning that PostgreSQL cannot serve, whatever the statement (PostgreSQL manual, appendix A). */
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
/** PostgreSQL aborted a transaction because of a deadlock or a serialization failure. */
const TRY_AGAIN = new Set(['40P01', '40001'])

/** PostgreSQL's SQLSTATE, also if wrapped in an outage; empty if there is none. */
export function codeOf(error: unknown): string {
  if (error instanceof DatabaseOutage) return codeOf(error.cause)
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}

/** The reason of an outage, as reported by PostgreSQL or the system. */
export function reasonOf({ cause }: DatabaseOutage): string {
  if (cause instanceof DatabaseOutage) return reasonOf(cause)
  return cause instanceof Error
    ? cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name)
    : String(cause)
}

/** Whether PostgreSQL rejected a statement and the connection is fine. After any other error, it must be destroyed. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && !isStalePlan(error)

/** The plan is from before a migration; a new connection plans again. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'

/** Whether the same statement or transaction may succeed immediately: it was rolled back completely. */
export const isWorthRepeating = (error: unknown): boolean =>
  TRY_AGAIN.has(codeOf(error)) || isStalePlan(error)

/** Converts an error to DatabaseOutage if the database is at fault, not the statement; otherwise returns it unchanged. */
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
