import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { Steps } from '@ordbook/bitcoin/steps.ts'
import { SignerRefusal } from './requests.ts'
import { runYielding } from './yield.ts'

/**
 * Runs a check of a request, and throws all its errors as SignerRefusal. For example, a key that is not on the curve fails deep in the
 * arithmetic.
 */
export function asRefusal<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw refusalOf(error)
  }
}

/** Like `refusing`, for a check in steps. Yields to the event loop between steps. */
export async function asRefusalYielding<T>(check: () => Steps<T>): Promise<T> {
  try {
    return await runYielding(check())
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): SignerRefusal {
  if (error instanceof SignerRefusal) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new SignerRefusal(error instanceof BitcoinError ? reason : `invalid request: ${reason}`, {
    cause: error,
  })
}
