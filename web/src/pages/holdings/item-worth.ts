/** Value of items to their holder, by one of three measures, and profit over cost. */

export const MEASURES = ['trait', 'floor', 'offer'] as const
export type Measure = (typeof MEASURES)[number]

/** Prices related to an item, in sats; null if unknown. */
export interface Worth {
  traitFloorSats: number | null
  collectionFloorSats: number | null
  bestOfferSats: number | null
  costSats: number | null
}

/** Value of an item, or null. Without a trait floor, `trait` falls back to the collection floor. */
export function valueBy(worth: Worth, measure: Measure): number | null {
  if (measure === 'offer') return worth.bestOfferSats
  if (measure === 'floor') return worth.collectionFloorSats
  return worth.traitFloorSats ?? worth.collectionFloorSats
}

/** Value minus cost; null if either is unknown. */
export function profitOf(worth: Worth, measure: Measure): number | null {
  const value = valueBy(worth, measure)
  return value === null || worth.costSats === null ? null : value - worth.costSats
}

const sumOf = (amounts: readonly (number | null)[]) =>
  amounts.reduce<number>((sum, each) => sum + (each ?? 0), 0)

/** Totals over items. Each equals the sum of the values on the items' cards. */
export function totalsOf(worths: readonly Worth[], measure: Measure) {
  const compared = worths.filter((each) => profitOf(each, measure) !== null)
  return {
    values: {
      trait: sumOf(worths.map((each) => valueBy(each, 'trait'))),
      floor: sumOf(worths.map((each) => valueBy(each, 'floor'))),
      offer: sumOf(worths.map((each) => valueBy(each, 'offer'))),
    },
    costSats: sumOf(worths.map((each) => each.costSats)),
    unknownCosts: worths.filter((each) => each.costSats === null).length,
    profitSats: sumOf(compared.map((each) => profitOf(each, measure))),
    /** Cost of the items included in `profitSats`. */
    comparedCostSats: sumOf(compared.map((each) => each.costSats)),
  }
}

interface OwnSale {
  side: 'bought' | 'sold'
  inscriptionId: string
  priceSats: number
  feesSats: number | null
  costSats: number | null
}

/** Profit after fees, and number, of the sales with a known cost. `typed`: costs that the visitor entered, by inscription. */
export function realisedOf(sales: readonly OwnSale[], typed: Readonly<Record<string, number>>) {
  const profits = sales.flatMap(({ side, inscriptionId, priceSats, feesSats, costSats }) => {
    const cost = costSats ?? typed[inscriptionId] ?? null
    return side === 'sold' && cost !== null && feesSats !== null ? [priceSats - feesSats - cost] : []
  })
  return { profitSats: sumOf(profits), count: profits.length }
}
