import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { SignerRefusal } from './requests.ts'

/**
 * Runs a check of a request. It reads nothing but the request, so anything that it throws is the request's fault: a key that is
 * no point of the curve breaks deep in the arithmetic. Throws SignerRefusal.
 */
export function refusing<T>(check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof SignerRefusal) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new SignerRefusal(
      error instanceof BitcoinError ? reason : `the request makes no sense: ${reason}`,
      { cause: error },
    )
  }
}
