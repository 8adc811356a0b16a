import pg from 'pg'
import { Fault } from '../process/errors.ts'

/** Thrown if the database is unavailable. `cause` is for the log only, never for clients. */
export class DatabaseOutage extends Fault {
  constructor(cause: unknown) {
    super('database-unavailable', 'The database is unavailable. Try again shortly.', {
      cause,
      retryAfterSeconds: 2,
    })
    this.name = 'DatabaseOutage'
  }
}

/** SQLSTATE codes of failures that the statement did not cause (PostgreSQL manual, appendix A). */
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
/** Classes of such codes: connection, insufficient resources, system error, internal error. */
const CANNOT_SERVE_CLASSES = new Set(['08', '53', '58', 'XX'])
/** Deadlock and serialization failure. */
const RETRYABLE = new Set(['40P01', '40001'])

/** Returns PostgreSQL's SQLSTATE, also of the cause of an outage; empty if there is none. */
export function codeOf(error: unknown): string {
  if (error instanceof DatabaseOutage) return codeOf(error.cause)
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}

/** Returns the message of PostgreSQL or the system that caused an outage. */
export function reasonOf({ cause }: DatabaseOutage): string {
  if (cause instanceof DatabaseOutage) return reasonOf(cause)
  return cause instanceof Error
    ? cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name)
    : String(cause)
}

/**
 * Returns whether PostgreSQL rejected a statement and the connection is usable. After any other error, the
 * connection must be destroyed.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && !isStalePlan(error)

/** Matches plans from before a migration. A new connection plans again. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'

/** Returns whether an immediate retry can succeed: the transaction was rolled back completely. */
export const isWorthRepeating = (error: unknown): boolean =>
  RETRYABLE.has(codeOf(error)) || isStalePlan(error)

/** Converts an error to DatabaseOutage if the statement did not cause it; otherwise returns it unchanged. */
export function asOutage(error: unknown): unknown {
  if (error instanceof Fault || error instanceof RangeError || error instanceof TypeError) return error
  const code = codeOf(error)
  const isStatementError =
    error instanceof pg.DatabaseError &&
    error.severity === 'ERROR' &&
    !CANNOT_SERVE.has(code) &&
    !CANNOT_SERVE_CLASSES.has(code.slice(0, 2))
  return isStatementError ? error : new DatabaseOutage(error)
}
