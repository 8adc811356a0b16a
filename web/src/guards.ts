/** A mistake that a ticket names before the wallet opens. */
export type GuardId =
  | 'far-under'
  | 'under-floor'
  | 'under-offer'
  | 'same-as-offer'
  | 'above-listing'
  | 'above-floor'
  | 'replaces'
  | 'below-top-offer'
  | 'size'
  | 'balance'

/** `note` informs, `confirm` asks for a second press on a button that names the risk, `stop` blocks. */
type Level = 'note' | 'confirm' | 'stop'

/** The ways out that a guard offers. */
export type WayOut = 'match-floor' | 'sell-now' | 'buy-now' | 'sweep-floor' | 'better-offer'

export interface Guard {
  id: GuardId
  level: Level
  /** The amount that the price is compared with. */
  againstSats?: number
  /** The difference of the price from that amount, in percent of it, signed. */
  percent?: number
  /** Offers that would end. */
  offerCount?: number
  /** The price has to be typed a second time. */
  retype?: boolean
  wayOut?: WayOut
}

/** Shares and multiples at which a guard begins. */
const UNDER_FLOOR = 0.9
const FAR_UNDER = 0.5
const TIMES_FLOOR = 20
const OF_BALANCE = 0.9

const percentOf = (sats: number, ofSats: number) => (sats / ofSats - 1) * 100
const known = (all: readonly (number | null | undefined)[]) => all.filter((each) => typeof each === 'number')

/** An amount far over what its collection trades at, as a slip of a factor of ten or a thousand gives. */
function sizeGuards(priceSats: number, floorSats: number | null, balanceSats: number | null): Guard[] {
  const guards: Guard[] = []
  if (floorSats !== null && priceSats > TIMES_FLOOR * floorSats)
    guards.push({
      id: 'size',
      level: 'confirm',
      againstSats: floorSats,
      percent: percentOf(priceSats, floorSats),
    })
  if (balanceSats !== null && priceSats > OF_BALANCE * balanceSats)
    guards.push({ id: 'balance', level: 'confirm', againstSats: balanceSats })
  return guards
}

/** Guards of a listing. `receiveSats`: the seller's payment after fees; `bestBid`: the best offer that can be taken now. */
export function listGuards(listing: {
  priceSats: number
  receiveSats: number
  floorSats: number | null
  traitFloorSats: number | null
  lastSaleSats: number | null
  bestBid: { priceSats: number; netSats: number } | null
}): Guard[] {
  const { priceSats, receiveSats, floorSats, traitFloorSats, lastSaleSats, bestBid } = listing
  const guards: Guard[] = []
  if (bestBid && receiveSats <= bestBid.netSats)
    guards.push({
      id: receiveSats < bestBid.netSats ? 'under-offer' : 'same-as-offer',
      level: receiveSats < bestBid.netSats ? 'stop' : 'note',
      againstSats: bestBid.netSats,
      wayOut: 'sell-now',
    })
  const wayOut = floorSats === null ? {} : ({ wayOut: 'match-floor' } as const)
  const far = known([floorSats, lastSaleSats]).find((each) => priceSats <= FAR_UNDER * each)
  const floor = Math.max(...known([floorSats, traitFloorSats]))
  if (far !== undefined)
    guards.push({
      id: 'far-under',
      level: 'confirm',
      againstSats: far,
      percent: percentOf(priceSats, far),
      retype: true,
      ...wayOut,
    })
  else if (priceSats <= UNDER_FLOOR * floor)
    guards.push({
      id: 'under-floor',
      level: 'confirm',
      againstSats: floor,
      percent: percentOf(priceSats, floor),
      ...wayOut,
    })
  return [...guards, ...sizeGuards(priceSats, floorSats ?? lastSaleSats, null)]
}

/** Guards of an offer on one item. */
export function offerGuards(offer: {
  priceSats: number
  listingSats: number | null
  floorSats: number | null
  balanceSats: number | null
}): Guard[] {
  const { priceSats, listingSats, floorSats, balanceSats } = offer
  const guards = sizeGuards(priceSats, floorSats, balanceSats)
  if (listingSats !== null && priceSats >= listingSats)
    guards.unshift({
      id: 'above-listing',
      level: 'confirm',
      againstSats: listingSats,
      percent: percentOf(priceSats, listingSats),
      wayOut: 'buy-now',
    })
  return guards
}

/** Guards of an offer on any item of a collection or of a trait. `floorSats`: of what it is for. `replaced`: own offers that would end, since their coins back this one. */
export function bidGuards(bid: {
  priceSats: number
  floorSats: number | null
  balanceSats: number | null
  replaced: number
}): Guard[] {
  const { priceSats, floorSats, balanceSats, replaced } = bid
  const guards: Guard[] = []
  if (floorSats !== null && priceSats > floorSats)
    guards.push({
      id: 'above-floor',
      level: 'confirm',
      againstSats: floorSats,
      percent: percentOf(priceSats, floorSats),
      wayOut: 'sweep-floor',
    })
  if (replaced > 0) guards.push({ id: 'replaces', level: 'confirm', offerCount: replaced })
  return [...guards, ...sizeGuards(priceSats, floorSats, balanceSats)]
}

/** Guards of selling into an offer. `best`: the offer that would leave the seller the most now. */
export function sellGuards(
  offer: { offerId: string; priceSats: number },
  best: { offerId: string; priceSats: number; netSats: number } | null,
): Guard[] {
  if (!best || best.offerId === offer.offerId || best.priceSats === offer.priceSats) return []
  return [
    {
      id: 'below-top-offer',
      level: 'confirm',
      againstSats: best.netSats,
      percent: percentOf(offer.priceSats, best.priceSats),
      wayOut: 'better-offer',
    },
  ]
}
