import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { CheckFailed } from '../errors.ts'

/** Throws CheckFailed with the reason, or the given error, unless it holds. */
export function demand(holds: boolean, reason: string | CheckFailed): asserts holds {
  if (!holds) throw typeof reason === 'string' ? new CheckFailed(reason) : reason
}

/** Runs a kernel function and converts its error into CheckFailed, prefixed with the step's name if given. */
export function refusing<T>(run: () => T, name?: string): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof BitcoinError)
      throw new CheckFailed(name === undefined ? error.message : `${name}: ${error.message}`)
    throw error
  }
}
