import { money } from './amounts.ts'

export interface Market {
  floorSats: number | null
  lastSaleSats: number | null
}

/** Ratios to the reference price. A sale below the first or a purchase above the second may be a mistake. */
const SELLS = { floorSats: 0.7, lastSaleSats: 0.5 }
const BUYS = { floorSats: 1.5, lastSaleSats: 2 }
const NAMES = { floorSats: 'the floor', lastSaleSats: 'the last sale' }

/** Returns the reasons why a price may be a mistake, such as a bid above the floor. */
export function doubtsAbout(side: 'sell' | 'buy' | 'bid', priceSats: number, market: Market): string[] {
  return (['floorSats', 'lastSaleSats'] as const).flatMap((reference) => {
    const referenceSats = market[reference]
    if (referenceSats === null) return []
    if (side === 'bid' && reference === 'floorSats')
      return priceSats > referenceSats
        ? [`${money(priceSats)} is above the floor (${money(referenceSats)} according to the market)`]
        : []
    const isUnusual =
      side === 'sell'
        ? priceSats < referenceSats * SELLS[reference]
        : priceSats > referenceSats * BUYS[reference]
    const share = Math.round((100 * priceSats) / referenceSats)
    return isUnusual
      ? [
          `${money(priceSats)} is ${share} % of ${NAMES[reference]} (${money(referenceSats)} according to the market)`,
        ]
      : []
  })
}
