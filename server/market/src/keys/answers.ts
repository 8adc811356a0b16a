import { conflict, unavailable } from '@ordbook/db/process/errors.ts'
import { inSpan } from '@ordbook/db/process/span.ts'
import { JournalError } from '@ordbook/signer/mark.ts'
import { RevokedRefusal, SignerRefusal, SpentRefusal } from '@ordbook/signer/requests.ts'
import type { Logger } from 'pino'

type Who = 'signer' | 'guardian'

const REFUSED = { signer: 'signer-refused', guardian: 'guardian-refused' } as const
const TAKEN_BACK = {
  signer: ['listing-not-buyable', 'Its seller has taken this back: it can no longer be bought'],
  guardian: ['offer-not-active', 'Its maker has taken this offer back: it can no longer be filled'],
} as const

/**
 * Wraps the signer or guardian so that errors become faults: conflict for rejected requests, unavailable for exhausted limits, a failing
 * journal or a full disk.
 */
export function answeringFaults<Api extends object>(
  who: Who,
  calls: Record<string, unknown>,
  api: Api,
  log: Logger,
): Api {
  const answering = { ...api } as Record<string, unknown>
  for (const name of Object.keys(calls)) {
    const call = answering[name]
    if (typeof call !== 'function') continue
    answering[name] = (request: unknown) =>
      inSpan(`${who} ${name}`, {}, () => call(request) as Promise<unknown>).catch((error: unknown) => {
        throw faultOf(who, name, error, log)
      })
  }
  return answering as Api
}

function faultOf(who: Who, call: string, error: unknown, log: Logger): unknown {
  if (error instanceof SpentRefusal)
    return unavailable(
      'fee-budget-spent',
      'The market has spent what it may on fees for now; try again later',
      error,
    )
  if (error instanceof RevokedRefusal) {
    const [code, text] = TAKEN_BACK[who]
    return conflict(code, text, error)
  }
  if (error instanceof SignerRefusal) {
    // The server checks all of this before, so either their settings differ or one of them is wrong.
    log.warn({ err: error, call }, `the ${who} refuses a request`)
    return conflict(REFUSED[who], `The ${who} of this market refuses this: ${error.message}`, error)
  }
  if (error instanceof JournalError || isOfDisk(error))
    return unavailable('signer-unavailable', `The ${who} does not sign right now; try again shortly`, error)
  return error
}

/** A failed call of the operating system: the journal cannot be read or written. */
const isOfDisk = (error: unknown) =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'
