import type { ErrorKind } from '@ordbook/contract/errors/entry.ts'
import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'

/** An error for clients. The message says what is wrong and how to fix it. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly kind: ErrorKind
  /** Seconds until a retry can succeed, if known. */
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

/** Returns a constructor for faults of one kind. A code of another kind does not compile. */
const faultOf =
  <K extends ErrorKind>(_kind: K) =>
  (code: ErrorCode<K>, message: string, cause?: unknown) =>
    new Fault(code, message, { cause })

export const invalid = faultOf('invalid')
export const unauthenticated = faultOf('unauthenticated')
export const forbidden = faultOf('forbidden')
export const missing = faultOf('missing')
export const unacceptable = faultOf('unacceptable')
export const conflict = faultOf('conflict')
export const expired = faultOf('expired')
export const unavailable = faultOf('unavailable')
/**
 * Creates a throttled fault. The message must not end with a full stop. It includes the wait, because some
 * clients read `Retry-After: N` from the body.
 */
export const throttled = (code: ErrorCode<'throttled'>, message: string, retryAfterSeconds: number) =>
  new Fault(code, `${message}. Retry-After: ${retryAfterSeconds}`, { retryAfterSeconds })
