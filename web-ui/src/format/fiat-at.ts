import type { Fiat } from '../money/units.ts'

/** The market's exchange rate. `at`: null for a fixed rate. */
export interface MarketFiat {
  currency: string
  perBtc: number
  at: string | null
}

const STALE_MILLISECONDS = 600_000
const HIDDEN_MILLISECONDS = 86_400_000

/** Returns the rate to show: null if it is older than a day. Amounts cannot be entered with a rate older than ten minutes. */
export function fiatAt(rate: MarketFiat | null, now: number): Fiat | null {
  if (!rate) return null
  const { currency, perBtc, at } = rate
  const age = at === null ? 0 : now - Date.parse(at)
  if (age > HIDDEN_MILLISECONDS) return null
  return { currency, perBtc, ...(age > STALE_MILLISECONDS ? { isStale: true } : {}) }
}
