import type { Answer } from '@ordbook/sdk/operations.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'

export type OwnSale = Answer<'listOwnSales'>['sales'][number]

/** Formats sats as BTC for spreadsheets, independent of the locale. */
function btcOf(sats: number | null): string {
  if (sats === null) return ''
  const digits = String(sats).padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`
}

/** Quotes a CSV cell. Disarms formulas. */
function cellOf(text: string): string {
  const safe = /^[\s=+\-@]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

/** Formats trades as CSV (RFC 4180). */
export function csvOf(sales: readonly OwnSale[]): string {
  const rows = sales.map((sale) => [
    sale.soldAt,
    words.sides[sale.side],
    sale.name,
    sale.collectionName ?? '',
    sale.inscriptionId,
    btcOf(sale.priceSats),
    btcOf(sale.feesSats),
    btcOf(sale.costSats),
    sale.priceUsd === null ? '' : sale.priceUsd.toFixed(2),
    sale.txid,
  ])
  const lines = [Object.values(words.csv), ...rows].map((cells) => cells.map(cellOf).join(','))
  // The BOM makes spreadsheets read the file as UTF-8.
  return `\uFEFF${lines.join('\r\n')}\r\n`
}
