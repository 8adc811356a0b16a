import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { quotePurchase } from '@ordbook/contract/storefront/quotes.ts'

/** A row of a bill. */
type Row = AnswerOf<typeof quotePurchase>['bill'][number]

/** An amount, and its share of the price in bps where it is one. */
type Part = number | { sats: number; rateBps: number }

/**
 * A bill from its amounts, in the order of their reading. Rows of 0 sats are left out, except the price. On a seller's bill
 * all amounts but the price count against the total.
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
  return { bill, totalSats: bill.reduce((sum, row) => sum + row.sats, 0) }
}

/** The sum of a member over items. */
export const sumOf = <K extends string>(items: readonly Record<K, number>[], member: K): number =>
  sumSats(items.map((item) => item[member]))

/** A fee or royalty of several trades, with its rate where it is the same in all. */
export function partOf<Sats extends string, Rate extends string>(
  items: readonly (Record<Sats, number> & Record<Rate, number>)[],
  sats: Sats,
  rate: Rate,
): Part {
  const rates = new Set(items.map((item) => item[rate]))
  const sum = sumOf(items, sats)
  return rates.size === 1 ? { sats: sum, rateBps: [...rates][0]! } : sum
}
