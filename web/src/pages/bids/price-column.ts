import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount, btc } from '@ordbook/web-ui/format/format.ts'
import { marksOf, visitorLocale } from '@ordbook/web-ui/money/marks.ts'
import { decimalsOf } from './book-levels.ts'

/** Formats a column of prices with equal decimals. */
export interface PriceColumn {
  unit: string
  text(sats: number): string
  /** Formats a price with its unit. */
  named(sats: number): string
}

export function usePriceColumn(prices: readonly number[]): PriceColumn {
  const { unit, fiat } = useSettings()
  const decimals = decimalsOf(prices)
  const shown = (sats: number) => amount(sats, unit, fiat)
  return {
    unit: shown(0).unit,
    text: (sats) => (shown(0).unit === 'BTC' ? withDecimals(sats, decimals) : shown(sats).text),
    named: (sats) => `${shown(sats).text} ${shown(sats).unit}`,
  }
}

function withDecimals(sats: number, decimals: number): string {
  const mark = marksOf(visitorLocale).decimal
  const [whole, fraction = ''] = btc(sats, visitorLocale).split(mark)
  return decimals === 0 ? whole! : `${whole}${mark}${fraction.padEnd(decimals, '0')}`
}
