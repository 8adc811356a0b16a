import { BitcoinError } from './errors.ts'
import type { Coin } from './trade/layout.ts'

/** The order in which coins are chosen. */
export const largestFirst = (a: Coin, b: Coin): number =>
  b.valueSats - a.valueSats || (a.txid < b.txid ? -1 : a.txid > b.txid ? 1 : a.vout - b.vout)

/**
 * Chooses coins largest first, so that few inputs suffice. `attempt` builds the trade from the chosen coins and throws `coins-insufficient`
 * while they do not suffice. Throws that error if all coins do not suffice.
 */
export function payWith<T>(
  coins: readonly Coin[],
  attempt: (chosen: Coin[]) => T,
): { chosen: Coin[]; built: T } {
  const sorted = coins.toSorted(largestFirst)
  let shortage = new BitcoinError('coins-insufficient', 'no payment coins were given')
  for (let count = 1; count <= sorted.length; count++) {
    const chosen = sorted.slice(0, count)
    try {
      return { chosen, built: attempt(chosen) }
    } catch (error) {
      if (!(error instanceof BitcoinError && error.code === 'coins-insufficient')) throw error
      shortage = error
    }
  }
  throw shortage
}
