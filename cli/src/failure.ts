import { ApiError, CannotSplit, isRetryable, NodeRefused, SubmitUncertain, WalletRefused } from '@ordbook/sdk'
import { CheckFailed } from '@ordbook/sdk/verify'

/** Exit codes (docs/reference/command.md). */
export const EXIT = {
  failed: 1,
  usage: 2,
  later: 3,
  unconfirmed: 4,
  wallet: 5,
  unverified: 6,
  session: 7,
  uncertain: 8,
} as const

/** An error of the command itself, not of the market, the node or the wallet. */
export class Failure extends Error {
  readonly code: string
  readonly exit: number

  constructor(code: string, message: string, exit: number = EXIT.failed) {
    super(message)
    this.code = code
    this.exit = exit
  }
}

export class UsageError extends Failure {
  constructor(message: string) {
    super('usage', message, EXIT.usage)
  }
}

export interface FailureDocument {
  code: string
  message: string
  retryable: boolean
  retryAfterSeconds?: number
  /** Id of the request in the market's log. */
  requestId?: string
  docsUrl?: string
  /** Expected txids of transactions that were signed and sent. */
  txids?: readonly string[]
}

export function describeFailure(error: unknown): { document: FailureDocument; exit: number } {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Failure)
    return { document: { code: error.code, message, retryable: false }, exit: error.exit }
  if (error instanceof ApiError) {
    const { retryable, retryAfterSeconds, requestId, docsUrl } = error
    return {
      document: {
        code: error.code ?? `http-${error.status}`,
        message,
        retryable,
        ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
        ...(requestId === null ? {} : { requestId }),
        ...(docsUrl === null ? {} : { docsUrl }),
      },
      exit: error.status === 401 ? EXIT.session : retryable ? EXIT.later : EXIT.failed,
    }
  }
  if (error instanceof SubmitUncertain)
    return {
      document: {
        code: error.code,
        message: `${message}. Check ordbook portfolio before you trade again`,
        retryable: false,
        txids: error.txids,
      },
      exit: EXIT.uncertain,
    }
  if (error instanceof CannotSplit)
    return { document: { code: error.code, message, retryable: false }, exit: EXIT.failed }
  if (error instanceof CheckFailed)
    return { document: { code: 'check-failed', message, retryable: false }, exit: EXIT.unverified }
  if (error instanceof WalletRefused)
    return { document: { code: 'wallet-refused', message, retryable: false }, exit: EXIT.wallet }
  if (error instanceof NodeRefused)
    return { document: { code: 'node-refused', message, retryable: false }, exit: EXIT.failed }
  if (isRetryable(error))
    return {
      document: { code: 'unreachable', message: withCause(error), retryable: true },
      exit: EXIT.later,
    }
  return { document: { code: 'failed', message, retryable: false }, exit: EXIT.failed }
}

/** Returns the message of a failed connection and of its cause, which contains the address. */
function withCause(error: unknown): string {
  const { message, cause } = error as Error
  const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string }
  return [message, reason || code].filter(Boolean).join(': ')
}
