import type { ErrorCode } from '@ordbook/contract/errors.ts'
import type { Input, OperationId } from './operations.ts'

/** Fields of an error response; null if absent. */
export interface Refusal {
  /** Error code (docs/reference/errors.md). A newer market may return codes that this SDK does not know. */
  code: ErrorCode | (string & {}) | null
  /** Whether the same request may succeed later. */
  retryable: boolean | null
  docsUrl: string | null
  /** Id of the request in the market's log. */
  requestId: string | null
  retryAfterSeconds: number | null
}

const EMPTY: Refusal = {
  code: null,
  retryable: null,
  docsUrl: null,
  requestId: null,
  retryAfterSeconds: null,
}

/** Retryable statuses, for responses without the `retryable` field. */
const RETRYABLE_STATUSES = new Set([408, 429, 500, 502, 503, 504])

/**
 * Base class of the SDK's errors. Branch on `code`: the market's code for an ApiError, otherwise one of the SDK's, such as `check-failed`.
 * Only ConnectionFailed is a TypeError instead, like the errors of `fetch`; it has a code too.
 */
export abstract class OrdbookError extends Error {
  override readonly name: string = 'OrdbookError'
  abstract readonly code: string | null
}

/** The server returned an error. Branch on `code`, or on `status` if the code is unknown. After a 409, start again with a new preflight. */
export class ApiError extends OrdbookError {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: Refusal['code']
  readonly retryable: boolean
  readonly docsUrl: string | null
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null

  constructor(status: number, message: string, refusal: Partial<Refusal> = {}, cause?: unknown) {
    super(message, { cause })
    this.status = status
    const { code, retryable, docsUrl, requestId, retryAfterSeconds } = { ...EMPTY, ...refusal }
    this.code = code
    this.retryable = retryable ?? RETRYABLE_STATUSES.has(status)
    this.docsUrl = docsUrl
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Creates an error from a response. Ignores fields of the wrong type. */
  static of({ status, statusText, headers }: Response, body: unknown): ApiError {
    const { error, code, retryable, docsUrl } = (body ?? {}) as Record<string, unknown>
    return new ApiError(
      status,
      stringOrNull(error) ?? statusText,
      {
        code: stringOrNull(code),
        retryable: typeof retryable === 'boolean' ? retryable : null,
        docsUrl: stringOrNull(docsUrl),
        requestId: headers.get('x-request-id'),
        retryAfterSeconds: parseRetryAfter(headers.get('retry-after')),
      },
      body,
    )
  }
}

/** Parses `Retry-After`, in seconds or as an HTTP date (RFC 9110). Returns null if it is missing or malformed. */
function parseRetryAfter(retryAfter: string | null): number | null {
  if (retryAfter === null) return null
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter)
  if (!retryAfter.endsWith(' GMT')) return null
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The connection to the market failed. `cause` is the error of `fetch`. */
export class ConnectionFailed extends TypeError {
  override readonly name = 'ConnectionFailed'
  readonly code = 'connection-failed'

  constructor(cause: TypeError) {
    super(cause.message, { cause: cause.cause ?? cause })
  }
}

/**
 * Whether the same call may succeed later: the server returned a retryable error, the connection failed or the call timed out. Wait for
 * `retryAfterSeconds` or the next block before retrying.
 */
export const isRetryable = (error: unknown): boolean =>
  error instanceof ApiError
    ? error.retryable
    : error instanceof ConnectionFailed || (error instanceof DOMException && error.name === 'TimeoutError')

/** A response, PSBT or signature is not what was agreed. Do not sign the PSBT; show the message to the user. */
export class CheckFailed extends OrdbookError {
  override readonly name: string = 'CheckFailed'
  readonly code: string = 'check-failed'
}

/** A response of the market does not match the contract. */
export class InvalidResponse extends CheckFailed {
  override readonly name = 'InvalidResponse'
  override readonly code = 'invalid-response'
}

/** An inscription's sat has too long a history to prove its coin within the limits. Retry with higher limits. */
export class TraceTooLong extends CheckFailed {
  override readonly name = 'TraceTooLong'
  override readonly code = 'trace-too-long'
}

/**
 * The response to signed transactions is missing, invalid or a server error, so the trade may have taken effect. `cause` is the error. Repeat
 * the call within a day, or look for `txids` on the chain: `client.call(operation, input, { idempotencyKey })`.
 */
export class SubmitUncertain extends OrdbookError {
  override readonly name = 'SubmitUncertain'
  readonly code = 'submit-uncertain'
  /** Expected txids of the signed transactions, as the market named them before signing. */
  readonly txids: readonly string[]
  readonly operation: OperationId
  readonly input: Input<OperationId>
  readonly idempotencyKey: string

  constructor(
    cause: unknown,
    call: Pick<SubmitUncertain, 'txids' | 'operation' | 'input' | 'idempotencyKey'>,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const check = call.txids.length > 0 ? `: look for ${call.txids.join(', ')} on the chain` : ''
    super(`the signed transactions were sent, but the result is unknown${check} (${reason})`, { cause })
    this.txids = call.txids
    this.operation = call.operation
    this.input = call.input
    this.idempotencyKey = call.idempotencyKey
  }
}

/** The market's terms exceed the agreement. Change the agreement and retry. */
export class OutsideAgreement extends CheckFailed {
  override readonly name: string = 'OutsideAgreement'
  override readonly code: string = 'outside-agreement'
}

/** The purchase costs more than `maxTotalSats`. */
export class OverBudget extends OutsideAgreement {
  override readonly name = 'OverBudget'
  override readonly code = 'over-budget'
}

/** The network fee exceeds the agreed maximum. */
export class OverNetworkFee extends OutsideAgreement {
  override readonly name = 'OverNetworkFee'
  override readonly code = 'over-network-fee'
  readonly networkSats: number
  readonly maxNetworkSats: number

  constructor(networkSats: number, maxNetworkSats: number) {
    super(`The network fee of ${networkSats} sats exceeds the agreed maximum of ${maxNetworkSats} sats.`)
    this.networkSats = networkSats
    this.maxNetworkSats = maxNetworkSats
  }
}

/** The coin contains other inscriptions, which would be transferred too. */
export class GoesAlong extends OutsideAgreement {
  override readonly name = 'GoesAlong'
  override readonly code = 'goes-along'
  readonly inscriptionIds: readonly string[]

  constructor(inscriptionIds: readonly string[]) {
    super(
      `The coin also contains ${inscriptionIds.join(', ')}. Name them in alsoGoes, or split the coin first if they are on other sats.`,
    )
    this.inscriptionIds = inscriptionIds
  }
}

/** The coin cannot be split. `code` is `sats-too-close`, `nothing-to-split` or `coins-insufficient`. */
export class CannotSplit extends OutsideAgreement {
  override readonly name = 'CannotSplit'
  override readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Another offer pays the seller more. */
export class BelowTopOffer extends OutsideAgreement {
  override readonly name = 'BelowTopOffer'
  override readonly code = 'below-top-offer'
  readonly topOfferId: string

  constructor(topOfferId: string) {
    super(`Offer ${topOfferId} pays you more. To sell below it, set evenBelowTopOffer to its id.`)
    this.topOfferId = topOfferId
  }
}

/** What is wrong with a signed PSBT. `altered`: its transaction changed. `unsafe`: the signature would let others spend an escrow coin. */
export type SignatureFault =
  | 'missing'
  | 'other-key'
  | 'wrong-sighash'
  | 'invalid'
  | 'altered'
  | 'unsafe'
  | 'unreadable'

/** The wallet returned a bad signature. The trade was not submitted. */
export class BadSignature extends CheckFailed {
  override readonly name = 'BadSignature'
  override readonly code = 'bad-signature'
  readonly fault: SignatureFault
  readonly wallet: string | null
  /** Display name of the step. */
  readonly step: string
  /** The requested sighash; null for the wallet's default. */
  readonly sighash: number | null

  constructor(message: string, found: Pick<BadSignature, 'fault' | 'wallet' | 'step' | 'sighash'>) {
    super(message)
    this.fault = found.fault
    this.wallet = found.wallet
    this.step = found.step
    this.sighash = found.sighash
  }
}

/** The wallet did not sign: it does not have the key, does not support the request, or the user declined. */
export class WalletRefused extends OrdbookError {
  override readonly name: string = 'WalletRefused'
  readonly code: string = 'wallet-refused'
}

/** The user declined the request. */
export class WalletDeclined extends WalletRefused {
  override readonly name = 'WalletDeclined'
  override readonly code = 'wallet-declined'
}

/** The page is not connected to the wallet. */
export class WalletUnconnected extends WalletRefused {
  override readonly name = 'WalletUnconnected'
  override readonly code = 'wallet-unconnected'
}
