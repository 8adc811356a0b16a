import { money } from './amounts.ts'

/** Reference prices; null if there is none. */
export interface Market {
  floorSats: number | null
  lastSaleSats: number | null
}

/** Ratios to the reference price below which a sale, and above which a purchase, looks like a mistake. */
const SELLS = { floorSats: 0.7, lastSaleSats: 0.5 }
const BUYS = { floorSats: 1.5, lastSaleSats: 2 }
const NAMES = { floorSats: 'the floor', lastSaleSats: 'the last sale' }

/** Reasons why a price looks like a mistake, such as a bid above the floor. */
export function doubtsAbout(side: 'sell' | 'buy' | 'bid', priceSats: number, market: Market): string[] {
  return (['floorSats', 'lastSaleSats'] as const).flatMap((which) => {
    const known = market[which]
    if (known === null) return []
    if (side === 'bid' && which === 'floorSats')
      return priceSats > known
        ? [`${money(priceSats)} is above the floor, ${money(known)} by the market's word`]
        : []
    const isOdd = side === 'sell' ? priceSats < known * SELLS[which] : priceSats > known * BUYS[which]
    const share = Math.round((100 * priceSats) / known)
    return isOdd
      ? [`${money(priceSats)} is ${share} % of ${NAMES[which]}, ${money(known)} by the market's word`]
      : []
  })
}
