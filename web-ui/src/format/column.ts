import { marksOf, visitorLocale } from '../money/marks.ts'
import { btc } from './format.ts'

/** Below this amount, a column is in sats. */
const IN_SATS_BELOW = 100_000
const DECIMALS = 5

/** Unit of a column of prices. All have the same unit and decimals. */
export const columnUnit = (prices: readonly (number | null)[]): 'btc' | 'sats' =>
  prices.some((sats) => sats !== null && sats > 0 && sats < IN_SATS_BELOW) ? 'sats' : 'btc'

/** Formats sats as BTC, rounded to a number of decimals. */
export function btcIn(sats: number, decimals = DECIMALS, locale = visitorLocale): string {
  const step = 10 ** (8 - decimals)
  const mark = marksOf(locale).decimal
  const [whole, fraction = ''] = btc(Math.round(sats / step) * step, locale).split(mark)
  return decimals === 0 ? whole! : `${whole}${mark}${fraction.padEnd(decimals, '0')}`
}
