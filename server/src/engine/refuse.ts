import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { invalid } from '../errors.ts'

/** Runs a kernel check of what a client sent; its BitcoinError becomes an invalid fault that names the field. */
export function refuseBitcoin<T>(check: () => T, field: string): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof BitcoinError) throw invalid(`${field}: ${error.message}`, error)
    throw error
  }
}
