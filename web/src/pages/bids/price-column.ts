import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { btcIn, columnUnit } from '@ordbook/web-ui/format/column.ts'
import { amount } from '@ordbook/web-ui/format/format.ts'

/** Formats a column of prices with equal decimals. */
export interface PriceColumn {
  unit: string
  text(sats: number): string
  /** Formats the exact price in the visitor's unit. */
  named(sats: number): string
}

export function usePriceColumn(prices: readonly number[]): PriceColumn {
  const { unit, fiat } = useSettings()
  const isInSats = unit === 'btc' && columnUnit(prices) === 'sats'
  const shown = (sats: number) => amount(sats, isInSats ? 'sats' : unit, fiat)
  const text = (sats: number) => (shown(0).unit === 'BTC' ? btcIn(sats) : shown(sats).text)
  return {
    unit: shown(0).unit,
    text,
    named: (sats) => Object.values(amount(sats, unit, fiat)).join(' '),
  }
}
