/** The worth of items to their holder: by one of three measures, and against their cost. */

/** The measures that items are valued by. */
export const MEASURES = ['trait', 'floor', 'offer'] as const
export type Measure = (typeof MEASURES)[number]

/** The prices around an item, in sats; null where there is none. */
export interface Worth {
  traitFloorSats: number | null
  collectionFloorSats: number | null
  bestOfferSats: number | null
  costSats: number | null
}

/** The value of an item; without a trait floor its collection's stands for it. Null where nothing gives it a value. */
export function valueBy(worth: Worth, measure: Measure): number | null {
  if (measure === 'offer') return worth.bestOfferSats
  if (measure === 'floor') return worth.collectionFloorSats
  return worth.traitFloorSats ?? worth.collectionFloorSats
}

/** The value of an item over its cost; null where one of them is not known. */
export function profitOf(worth: Worth, measure: Measure): number | null {
  const value = valueBy(worth, measure)
  return value === null || worth.costSats === null ? null : value - worth.costSats
}

const sumOf = (amounts: readonly (number | null)[]) =>
  amounts.reduce<number>((sum, each) => sum + (each ?? 0), 0)

/** The sums over items: each equals the sum of what their cards show. */
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
    /** The cost of the items that the profit is of. */
    comparedCostSats: sumOf(compared.map((each) => each.costSats)),
  }
}

/** A sale as its seller sees it. */
interface OwnSale {
  side: 'bought' | 'sold'
  inscriptionId: string
  priceSats: number
  feesSats: number | null
  costSats: number | null
}

/** The profit of the sales whose cost is known, after the fees of both sides, and their number. `typed`: costs by inscription. */
export function realisedOf(sales: readonly OwnSale[], typed: Readonly<Record<string, number>>) {
  const profits = sales.flatMap(({ side, inscriptionId, priceSats, feesSats, costSats }) => {
    const cost = costSats ?? typed[inscriptionId] ?? null
    return side === 'sold' && cost !== null && feesSats !== null ? [priceSats - feesSats - cost] : []
  })
  return { profitSats: sumOf(profits), count: profits.length }
}
