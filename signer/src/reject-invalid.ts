import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { Steps } from '@ordbook/bitcoin/steps.ts'
import { SignerRefusal } from './requests.ts'
import { inTurns } from './yield.ts'

/**
 * Runs a check that uses only the request. So whatever it throws is caused by the request; for example, a key that is not on the curve
 * fails deep in the arithmetic. Throws SignerRefusal.
 */
export function refusing<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw refusalOf(error)
  }
}

/** The same for a check in steps, which yields to the event loop between them. */
export async function refusingInTurns<T>(check: () => Steps<T>): Promise<T> {
  try {
    return await inTurns(check())
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): SignerRefusal {
  if (error instanceof SignerRefusal) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new SignerRefusal(error instanceof BitcoinError ? reason : `the request makes no sense: ${reason}`, {
    cause: error,
  })
}
