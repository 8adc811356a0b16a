import type { ErrorKind } from '@ordbook/contract/errors/entry.ts'
import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'

/** An error for clients. The message says what is wrong and how to fix it. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly kind: ErrorKind
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

/** Creates faults of one kind. Codes of other kinds do not compile. */
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
/** Creates a throttled fault. Omit the final full stop of `message`. The wait is appended, because some clients read it from the body. */
export const throttled = (code: ErrorCode<'throttled'>, message: string, retryAfterSeconds: number) =>
  new Fault(code, `${message}. Retry-After: ${retryAfterSeconds}`, { retryAfterSeconds })
