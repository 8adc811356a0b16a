import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { CheckFailed } from '../errors.ts'

/** Throws the given error, or CheckFailed with the reason, unless the condition holds. */
export function assert(holds: boolean, reason: string | CheckFailed): asserts holds {
  if (!holds) throw typeof reason === 'string' ? new CheckFailed(reason) : reason
}

/** Converts a BitcoinError of `run` to CheckFailed, optionally prefixed with the name of the step. */
export function asCheckFailed<T>(run: () => T, name?: string): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof BitcoinError)
      throw new CheckFailed(name === undefined ? error.message : `${name}: ${error.message}`)
    throw error
  }
}
