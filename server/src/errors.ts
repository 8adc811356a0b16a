import { BitcoinError } from '@ordbook/bitcoin/errors.ts'

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
  /** Names the refusal for programs, where a client can do something particular about it. */
  readonly code: string | undefined

  constructor(
    kind: FaultKind,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; code?: string } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'Fault'
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
    this.code = options.code
  }
}

/** Keeps the kernel's code of a wallet's fault in an escrow's PSBT: the client can ask its wallet in another way. */
export const invalid = (message: string, cause?: unknown) =>
  new Fault('invalid', message, {
    cause,
    ...(cause instanceof BitcoinError && cause.code.startsWith('escrow-') ? { code: cause.code } : {}),
  })
export const unauthenticated = (message: string) => new Fault('unauthenticated', message)
export const forbidden = (message: string) => new Fault('forbidden', message)
export const missing = (message: string) => new Fault('missing', message)
export const unacceptable = (message: string) => new Fault('unacceptable', message)
export const conflict = (message: string, cause?: unknown, code?: string) =>
  new Fault('conflict', message, { cause, ...(code ? { code } : {}) })
export const expired = (message: string) => new Fault('expired', message)
/** The text says the wait too: some clients read `Retry-After: N` from the body. */
export const throttled = (message: string, retryAfterSeconds: number) =>
  new Fault('throttled', `${message}. Retry-After: ${retryAfterSeconds}`, { retryAfterSeconds })
export const unavailable = (message: string, cause?: unknown) => new Fault('unavailable', message, { cause })
