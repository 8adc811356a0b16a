import type { Answer } from '@ordbook/sdk/operations.ts'

type Histogram = Answer<'getPriceHistogram'>

/** The histogram of a collection with listings. */
export interface Prices {
  leastSats: number
  stepSats: number
  mostSats: number
  bars: readonly number[]
}

/** Returns null if nothing is listed. */
export const pricesOf = ({ leastSats, stepSats, mostSats, bars }: Histogram): Prices | null =>
  leastSats === null || stepSats === null || mostSats === null
    ? null
    : { leastSats, stepSats, mostSats, bars }

/** Returns the lowest price of a bar; of one after the last bar: the price above all bars. */
export const startOf = ({ leastSats, stepSats }: Prices, bar: number): number => leastSats + bar * stepSats

/** Returns true if the last bar also counts outliers. */
export const hasOutliers = (prices: Prices): boolean => prices.mostSats >= startOf(prices, prices.bars.length)

/** First and last selected bar, as positions of the handles between the bars. */
export interface Handles {
  low: number
  high: number
}

/** Returns the handles of a price filter. A price inside a bar selects the whole bar. */
export function handlesOf(prices: Prices, min: number | undefined, max: number | undefined): Handles {
  const { leastSats, stepSats, bars } = prices
  const within = (position: number) => Math.max(0, Math.min(bars.length, position))
  const from = min === undefined ? 0 : within(Math.floor((min - leastSats) / stepSats))
  const to = max === undefined ? bars.length : within(Math.floor((max - leastSats) / stepSats) + 1)
  const low = Math.min(from, bars.length - 1)
  return { low, high: Math.max(to, low + 1) }
}

/** Returns the price filter of handles. A handle at its end does not limit prices. */
export const boundsOf = (prices: Prices, { low, high }: Handles) => ({
  min: low === 0 ? undefined : startOf(prices, low),
  max: high === prices.bars.length ? undefined : startOf(prices, high) - 1,
})

/** Moves a handle. The other stays at least one bar away. */
export const moved = (handles: Handles, side: keyof Handles, to: number, bars: number): Handles =>
  side === 'low'
    ? { ...handles, low: Math.max(0, Math.min(to, handles.high - 1)) }
    : { ...handles, high: Math.min(bars, Math.max(to, handles.low + 1)) }
