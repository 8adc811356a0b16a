import { createContext, type ReactNode, useContext } from 'react'
import { btcIn, columnUnit } from '../format/column.ts'
import { amount, type Fiat, type Unit } from '../format/format.ts'

/** Unit of the prices in a column; null outside of columns. */
const Column = createContext<'btc' | 'sats' | null>(null)

/** Shows all prices of a column alike, if the visitor's unit is BTC: with five decimals, or in sats if one is below 0.001 BTC. */
export const PriceColumn = ({ of, children }: { of: readonly (number | null)[]; children: ReactNode }) => (
  <Column.Provider value={columnUnit(of)}>{children}</Column.Provider>
)

/** Formats an amount as in its column. */
export function useColumnAmount(): (
  sats: number,
  unit: Unit,
  fiat: Fiat | null,
) => { text: string; unit: string } {
  const column = useContext(Column)
  return (sats, unit, fiat) => {
    if (unit !== 'btc' || column === null) return amount(sats, unit, fiat)
    return column === 'sats' ? amount(sats, 'sats', fiat) : { text: btcIn(sats), unit: 'BTC' }
  }
}
