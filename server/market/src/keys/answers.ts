import { assertNoTransaction } from '@ordbook/db/driver/transaction-scope.ts'
import { conflict, unavailable } from '@ordbook/db/process/errors.ts'
import { inSpan } from '@ordbook/db/process/span.ts'
import { JournalError } from '@ordbook/signer/checkpoint.ts'
import { RevokedRefusal, SignerRefusal, SpentRefusal } from '@ordbook/signer/requests.ts'
import type { Logger } from 'pino'

type Who = 'signer' | 'guardian'

const REFUSED = { signer: 'signer-refused', guardian: 'guardian-refused' } as const
const CANCELLED = {
  signer: ['listing-not-buyable', 'This listing was cancelled by its seller and is no longer available.'],
  guardian: ['offer-not-active', 'This offer was cancelled by its maker and can no longer be filled.'],
} as const

/** Wraps the signer or guardian and converts its errors into faults. */
export function answeringFaults<Api extends object>(
  who: Who,
  calls: Record<string, unknown>,
  api: Api,
  log: Logger,
): Api {
  const wrapped = { ...api } as Record<string, unknown>
  for (const name of Object.keys(calls)) {
    const call = wrapped[name]
    if (typeof call !== 'function') continue
    wrapped[name] = async (request: unknown) => {
      assertNoTransaction(who)
      return inSpan(`${who} ${name}`, {}, () => call(request) as Promise<unknown>).catch((error: unknown) => {
        throw faultOf(who, name, error, log)
      })
    }
  }
  return wrapped as Api
}

function faultOf(who: Who, call: string, error: unknown, log: Logger): unknown {
  if (error instanceof SpentRefusal)
    return unavailable(
      'fee-budget-spent',
      'The market has reached its limit on network fees. Retry later.',
      error,
    )
  if (error instanceof RevokedRefusal) {
    const [code, text] = CANCELLED[who]
    return conflict(code, text, error)
  }
  if (error instanceof SignerRefusal) {
    // The server runs the same checks first, so this is a bug or different settings.
    log.warn({ err: error, call }, `the ${who} rejected a request`)
    return conflict(REFUSED[who], `The ${who} of this market rejected the request: ${error.message}`, error)
  }
  if (error instanceof JournalError || isSystemError(error))
    return unavailable('signer-unavailable', `The ${who} is not signing. Try again shortly.`, error)
  return error
}

/** Returns true for a failed system call, such as a journal write. */
const isSystemError = (error: unknown) =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
