import { MAX_SATS } from '@ordbook/contract/amounts.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { quotePurchase } from '@ordbook/contract/storefront/quotes.ts'
import { invalid } from '@ordbook/db/process/errors.ts'

type Row = AnswerOf<typeof quotePurchase>['bill'][number]

/** An amount, with its rate in bps if it has one. */
type Part = number | { sats: number; rateBps: number }

/**
 * Builds a bill from amounts in display order. Omits rows of 0 sats except the price. On a seller's bill, all other amounts reduce the
 * total. Throws `invalid` above the maximum supply.
 */
export function billOf(
  parts: Partial<Record<Row['kind'], Part>> & { price: number },
  side: 'buyer' | 'seller',
): { bill: Row[]; totalSats: number } {
  const bill = (Object.entries(parts) as [Row['kind'], Part][]).flatMap(([kind, part]): Row[] => {
    const { sats, rateBps } = typeof part === 'number' ? { sats: part, rateBps: null } : part
    if (sats === 0 && kind !== 'price') return []
    return [{ kind, sats: side === 'seller' && kind !== 'price' ? -sats : sats, rateBps }]
  })
  const totalSats = bill.reduce((sum, row) => sum + row.sats, 0)
  if ([totalSats, ...bill.map((row) => row.sats)].some((sats) => Math.abs(sats) > MAX_SATS))
    throw invalid('amounts-unpayable', 'The amounts add up to more than 21,000,000 BTC. Lower the prices.')
  return { bill, totalSats }
}

/** Sums a field. Not exact above the maximum of a bill. */
export const sumOf = <K extends string>(items: readonly Record<K, number>[], member: K): number =>
  items.reduce((sum, item) => sum + item[member], 0)

/** Sums a fee or royalty over trades, with its rate if all trades have the same. */
export function partOf<Sats extends string, Rate extends string>(
  items: readonly (Record<Sats, number> & Record<Rate, number>)[],
  sats: Sats,
  rate: Rate,
): Part {
  const rates = new Set(items.map((item) => item[rate]))
  const sum = sumOf(items, sats)
  return rates.size === 1 ? { sats: sum, rateBps: [...rates][0]! } : sum
}
