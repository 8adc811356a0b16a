import pg from 'pg'
import { Fault } from '../process/errors.ts'

/** Thrown if the database is unavailable. Never send `cause` to clients. */
export class DatabaseOutage extends Fault {
  constructor(cause: unknown) {
    super('database-unavailable', 'The database is unavailable. Try again shortly.', {
      cause,
      retryAfterSeconds: 2,
    })
    this.name = 'DatabaseOutage'
  }
}

/**
 * PostgreSQL ended a transaction that was idle for too long. If the process computed in the meantime, it may see only the closed socket,
 * without PostgreSQL's message.
 */
export class IdleTransaction extends Error {
  readonly code = '25P03'
  constructor(idleMs: number, cause: unknown) {
    super(`the transaction was idle for ${Math.round(idleMs)} ms`, { cause })
  }
}

/** SQLSTATE codes of failures unrelated to the statement (PostgreSQL manual, appendix A). */
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

/** Returns the SQLSTATE of an error or of an outage's cause; empty if there is none. */
export function codeOf(error: unknown): string {
  if (error instanceof DatabaseOutage) return codeOf(error.cause)
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}

export function reasonOf({ cause }: DatabaseOutage): string {
  if (cause instanceof DatabaseOutage) return reasonOf(cause)
  return cause instanceof Error
    ? cause.message || ((cause as NodeJS.ErrnoException).code ?? cause.name)
    : String(cause)
}

/** Returns whether PostgreSQL rejected a statement. After any other error, the connection must be destroyed. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR' && !isStalePlan(error)

/** Matches plans from before a migration. A new connection plans again. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'

export const isWorthRepeating = (error: unknown): boolean =>
  RETRYABLE.has(codeOf(error)) || isStalePlan(error)

/** Converts an error to DatabaseOutage unless the statement caused it. */
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
