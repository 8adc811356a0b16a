import { estimatedValueOf } from '@ordbook/web-ui/money/estimated-value.ts'

export const MEASURES = ['trait', 'floor', 'offer'] as const
export type Measure = (typeof MEASURES)[number]

/** Prices of an item, in sats; null if unknown. */
export interface Worth {
  traitFloorSats: number | null
  collectionFloorSats: number | null
  bestOfferSats: number | null
  costSats: number | null
}

/** Returns the estimated value of an item, or null. */
export const estimateOf = (of: Pick<Worth, 'traitFloorSats' | 'collectionFloorSats'>): number | null =>
  estimatedValueOf(of.traitFloorSats, of.collectionFloorSats)

/** Returns the value of an item, or null. */
export function valueBy(worth: Worth, measure: Measure): number | null {
  if (measure === 'offer') return worth.bestOfferSats
  if (measure === 'floor') return worth.collectionFloorSats
  return estimateOf(worth)
}

/** Returns value minus cost, or null if either is unknown. */
export function profitOf(worth: Worth, measure: Measure): number | null {
  const value = valueBy(worth, measure)
  return value === null || worth.costSats === null ? null : value - worth.costSats
}

const sumOf = (amounts: readonly (number | null)[]) =>
  amounts.reduce<number>((sum, each) => sum + (each ?? 0), 0)

/** Returns totals, which equal the sums of the cards. */
export function totalsOf(worths: readonly Worth[], measure: Measure) {
  const compared = worths.filter((worth) => profitOf(worth, measure) !== null)
  return {
    values: {
      trait: sumOf(worths.map((worth) => valueBy(worth, 'trait'))),
      floor: sumOf(worths.map((worth) => valueBy(worth, 'floor'))),
      offer: sumOf(worths.map((worth) => valueBy(worth, 'offer'))),
    },
    costSats: sumOf(worths.map((worth) => worth.costSats)),
    unknownCosts: worths.filter((worth) => worth.costSats === null).length,
    profitSats: sumOf(compared.map((each) => profitOf(each, measure))),
    /** Total cost of the items in `profitSats`. */
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

/** Returns the profit after fees of sales with a known cost. `typed`: costs by inscription. */
export function realisedOf(sales: readonly OwnSale[], typed: Readonly<Record<string, number>>) {
  const profits = sales.flatMap(({ side, inscriptionId, priceSats, feesSats, costSats }) => {
    const cost = costSats ?? typed[inscriptionId] ?? null
    return side === 'sold' && cost !== null && feesSats !== null ? [priceSats - feesSats - cost] : []
  })
  return { profitSats: sumOf(profits), count: profits.length }
}
