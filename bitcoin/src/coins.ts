import { BitcoinError } from './errors.ts'
import type { Coin } from './trade/layout.ts'

/** Sorts coins by value, descending; ties by outpoint. */
export const largestFirst = (a: Coin, b: Coin): number =>
  b.valueSats - a.valueSats || (a.txid < b.txid ? -1 : a.txid > b.txid ? 1 : a.vout - b.vout)

/**
 * Adds coins, largest first, until `attempt` succeeds, so that the trade has few inputs. `attempt` throws `coins-insufficient` if the
 * chosen coins do not suffice. Throws the last such error if all coins together do not suffice.
 */
export function payWith<T>(
  coins: readonly Coin[],
  attempt: (chosen: Coin[]) => T,
): { chosen: Coin[]; built: T } {
  const sorted = coins.toSorted(largestFirst)
  let shortage = new BitcoinError('coins-insufficient', 'there are no payment coins')
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
