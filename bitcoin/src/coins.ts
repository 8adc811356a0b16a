import { BitcoinError } from './errors.ts'
import type { Coin } from './trade/layout.ts'

/** Sorts coins by descending value, then by outpoint. */
export const largestFirst = (a: Coin, b: Coin): number =>
  b.valueSats - a.valueSats || (a.txid < b.txid ? -1 : a.txid > b.txid ? 1 : a.vout - b.vout)

/** Adds coins, largest first, until `attempt` succeeds. Throws its last `coins-insufficient` error if no coins are left. */
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
