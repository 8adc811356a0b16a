import type { ErrorCode } from '@ordbook/contract/errors.ts'

/** Members of a refusal beside its status and text; null where the answer lacks them. */
export interface Refusal {
  /** A code of the market's table of errors; a newer market may send one that this SDK does not know. */
  code: ErrorCode | (string & {}) | null
  /** Whether the same request may succeed later without a change. */
  retryable: boolean | null
  /** Address of the entry of the code in the reference. */
  docsUrl: string | null
  /** Names the request in the log of the market. */
  requestId: string | null
  /** Seconds after which to repeat it. */
  retryAfterSeconds: number | null
}

const NOTHING_SAID: Refusal = {
  code: null,
  retryable: null,
  docsUrl: null,
  requestId: null,
  retryAfterSeconds: null,
}

/** Statuses of refusals that pass by themselves, for answers that do not say so. */
const PASSING = new Set([408, 429, 500, 502, 503, 504])

/** The server refused; act on `code` and `status`, as its reference says. A 409 asks for a fresh read and preflight. */
export class ApiError extends Error {
  readonly status: number
  readonly code: Refusal['code']
  readonly retryable: boolean
  readonly docsUrl: string | null
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  /** `cause`: the answer as it came. */
  constructor(status: number, message: string, refusal: Partial<Refusal> = {}, cause?: unknown) {
    super(message, { cause })
    this.name = 'ApiError'
    this.status = status
    const { code, retryable, docsUrl, requestId, retryAfterSeconds } = { ...NOTHING_SAID, ...refusal }
    this.code = code
    this.retryable = retryable ?? PASSING.has(status)
    this.docsUrl = docsUrl
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** The error of an answer other than 200, with what its body and headers say. Members of other types count as missing. */
  static of({ status, statusText, headers }: Response, body: unknown): ApiError {
    const { error, code, retryable, docsUrl } = (body ?? {}) as Record<string, unknown>
    return new ApiError(
      status,
      textOf(error) ?? statusText,
      {
        code: textOf(code),
        retryable: typeof retryable === 'boolean' ? retryable : null,
        docsUrl: textOf(docsUrl),
        requestId: headers.get('x-request-id'),
        retryAfterSeconds: secondsOf(headers.get('retry-after')),
      },
      body,
    )
  }
}

/** Seconds of a `Retry-After`, which gives them, or a date (RFC 9110). Null where it is missing or neither. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter)
  if (!retryAfter.endsWith(' GMT')) return null
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The market could not be reached, or its answer broke off: what `fetch` throws then is the cause. */
export class ConnectionFailed extends TypeError {
  constructor(cause: TypeError) {
    super(cause.message, { cause: cause.cause ?? cause })
    this.name = 'ConnectionFailed'
  }
}

/**
 * Whether the same call may succeed later without a change: a refusal that says so, or a market that could not be reached in time. Wait
 * for `retryAfterSeconds`, or for the next block. False for everything that a check or the wallet refused.
 */
export const isRetryable = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.retryable
    : error instanceof ConnectionFailed || (error instanceof DOMException && error.name === 'TimeoutError')

/** A PSBT is not what was agreed, and was not signed. Do not sign it by other means either: tell the user why. */
export class CheckFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CheckFailed'
  }
}

/** The market may be honest: the agreement does not allow what it prepared, and the caller can change the agreement. */
export class OutsideAgreement extends CheckFailed {}

/** It costs more than the agreement allows. */
export class OverBudget extends OutsideAgreement {}

/** The network takes more than the agreement allows. */
export class OverNetworkFee extends OutsideAgreement {
  readonly networkSats: number
  readonly maxNetworkSats: number

  constructor(networkSats: number, maxNetworkSats: number) {
    super(`the network takes ${networkSats} sats, agreed were at most ${maxNetworkSats}`)
    this.networkSats = networkSats
    this.maxNetworkSats = maxNetworkSats
  }
}

/** Other inscriptions are in the coin of the one that is sold, and would go along. */
export class GoesAlong extends OutsideAgreement {
  readonly inscriptionIds: readonly string[]

  constructor(inscriptionIds: readonly string[]) {
    super(
      `${inscriptionIds.join(', ')} would go along in the same coin: name them in alsoGoes, or split the coin first if they are on other sats`,
    )
    this.inscriptionIds = inscriptionIds
  }
}

/** A split that cannot be made: nothing was signed. `code` is `sats-too-close`, `nothing-to-split` or `coins-insufficient`. */
export class CannotSplit extends OutsideAgreement {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Another offer leaves the seller more than the one that was to be filled. */
export class BelowTopOffer extends OutsideAgreement {
  readonly topOfferId: string

  constructor(topOfferId: string) {
    super(`the offer ${topOfferId} leaves you more: name it in evenBelowTopOffer to sell below it`)
    this.topOfferId = topOfferId
  }
}

/**
 * The fault of a signature that a wallet gave: none there, by another key, with another sighash, of another digest, of another transaction,
 * one that lets others spend an escrow coin, or no PSBT at all.
 */
export type SignatureFault =
  | 'missing'
  | 'other-key'
  | 'wrong-sighash'
  | 'invalid'
  | 'altered'
  | 'unsafe'
  | 'unreadable'

/** The wallet signed otherwise than it was asked. Nothing of what it returned went out. */
export class BadSignature extends CheckFailed {
  readonly fault: SignatureFault
  /** The name of the wallet, where it has one. */
  readonly wallet: string | null
  /** The step of the trade, in words. */
  readonly step: string
  /** The sighash that was asked for; null: the wallet's default. */
  readonly sighash: number | null

  constructor(message: string, found: Pick<BadSignature, 'fault' | 'wallet' | 'step' | 'sighash'>) {
    super(message)
    this.name = 'BadSignature'
    this.fault = found.fault
    this.wallet = found.wallet
    this.step = found.step
    this.sighash = found.sighash
  }
}

/** The wallet did not sign: it cannot, the key is not the one asked for, or the user declined. */
export class WalletRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WalletRefused'
  }
}

/** The user declined, in the wallet or before it. */
export class WalletDeclined extends WalletRefused {}

/** The wallet answers this page only after it was connected. */
export class WalletUnconnected extends WalletRefused {}
