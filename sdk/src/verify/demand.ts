import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { CheckFailed } from '../errors.ts'

/** Throws CheckFailed unless it holds. */
export function demand(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new CheckFailed(reason)
}

/** Runs what the kernel may refuse. Throws CheckFailed with its reason, after the name of the step where one is given. */
export function refusing<T>(run: () => T, name?: string): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof BitcoinError)
      throw new CheckFailed(name === undefined ? error.message : `${name}: ${error.message}`)
    throw error
  }
}
