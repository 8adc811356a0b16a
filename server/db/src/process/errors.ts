import type { ErrorKind } from '@ordbook/contract/errors/entry.ts'
import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'

/** An error for clients: a code, what is wrong, and how to fix it. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly kind: ErrorKind
  /** Seconds after which to retry, if known. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.kind = ERRORS[code].kind
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Creates the faults of one kind; a code of another kind does not compile. */
const refuse =
  <K extends ErrorKind>(_kind: K) =>
  (code: ErrorCode<K>, message: string, cause?: unknown) =>
    new Fault(code, message, { cause })

export const invalid = refuse('invalid')
export const unauthenticated = refuse('unauthenticated')
export const forbidden = refuse('forbidden')
export const missing = refuse('missing')
export const unacceptable = refuse('unacceptable')
export const conflict = refuse('conflict')
export const expired = refuse('expired')
export const unavailable = refuse('unavailable')
/** The message includes the wait, because some clients read `Retry-After: N` from the body. */
export const throttled = (code: ErrorCode<'throttled'>, message: string, retryAfterSeconds: number) =>
  new Fault(code, `${message}. Retry-After: ${retryAfterSeconds}`, { retryAfterSeconds })
