import { integer, type Variable } from '@ordbook/process/variables.ts'

export const list = <const C extends string>(
  about: string,
  fallback: readonly C[],
  choices?: readonly C[],
): Variable<readonly C[]> => ({
  read: (found) => {
    const parts = found
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
    return choices && !parts.every((part) => choices.includes(part as C)) ? undefined : (parts as C[])
  },
  expected: choices ? `a comma-separated list of ${choices.join(', ')}` : 'a comma-separated list',
  fallback,
  about,
})

const MAX_SATS = 2_100_000_000_000_000

export const sats = (fallback: number, about: string, low = 0, high = MAX_SATS): Variable<number> =>
  integer(fallback, low, high, about)
