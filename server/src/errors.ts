/** Kinds of refusal; http/fault-handler.ts alone knows their statuses. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'unacceptable'
  | 'conflict'
  | 'expired'
  | 'throttled'
  | 'unavailable'

/** A refusal that a client can act on: what is wrong, and how to mend it. */
export class Fault extends Error {
  readonly kind: FaultKind
  /** Seconds after which to try again, where that is known. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: FaultKind,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export const invalid = (message: string, cause?: unknown) => new Fault('invalid', message, { cause })
export const unauthenticated = (message: string) => new Fault('unauthenticated', message)
export const forbidden = (message: string) => new Fault('forbidden', message)
export const missing = (message: string) => new Fault('missing', message)
export const unacceptable = (message: string) => new Fault('unacceptable', message)
export const conflict = (message: string, cause?: unknown) => new Fault('conflict', message, { cause })
export const expired = (message: string) => new Fault('expired', message)
/** The text says the wait too: some clients read `Retry-After: N` from the body. */
export const throttled = (message: string, retryAfterSeconds: number) =>
  new Fault('throttled', `${message}. Retry-After: ${retryAfterSeconds}`, { retryAfterSeconds })
export const unavailable = (message: string, cause?: unknown) => new Fault('unavailable', message, { cause })
