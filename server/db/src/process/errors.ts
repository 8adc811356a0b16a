import type { ErrorKind } from '@ordbook/contract/errors/entry.ts'
import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'

/** A refusal that a client can act on: a code of the table, what is wrong, and how to mend it. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly kind: ErrorKind
  /** Seconds after which to try again, where that is known. */
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

/** Makes the faults of one kind: the code of another kind does not compile. */
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
/** The text says the wait too: some clients read `Retry-After: N` from the body. */
export const throttled = (code: ErrorCode<'throttled'>, message: string, retryAfterSeconds: number) =>
  new Fault(code, `${message}. Retry-After: ${retryAfterSeconds}`, { retryAfterSeconds })
