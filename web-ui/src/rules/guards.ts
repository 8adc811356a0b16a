import type { PriceWord } from '@ordbook/contract/price-words.ts'

/** A likely mistake, or a fact that supports the price. */
export type GuardId =
  | 'in-line'
  | 'unverified'
  | 'same-name'
  | 'fee-rate'
  | 'price-moved'
  | 'shares'
  | 'far-under'
  | 'under-floor'
  | 'under-trait-floor'
  | 'under-offer'
  | 'same-as-offer'
  | 'above-listing'
  | 'above-floor'
  | 'replaces'
  | 'below-top-offer'
  | 'size'
  | 'balance'
  | 'uneven'

/** `confirm` requires a second press, or a button that names the risk. `stop` blocks. */
type Level = 'note' | 'confirm' | 'stop'

export type WayOut =
  | 'match-floor'
  | 'sell-now'
  | 'buy-now'
  | 'sweep-floor'
  | 'better-offer'
  | 'verified-one'
  | 'new-total'
  | 'other-coin'

export interface Guard {
  id: GuardId
  level: Level
  againstSats?: number
  /** What `againstSats` is. */
  against?: PriceWord
  /** Difference of the price from `againstSats`, in percent. */
  percent?: number
  /** Upper end of the range, or the new total of `price-moved`. */
  mostSats?: number
  /** Name of the verified collection that it resembles. */
  name?: string
  /** Number of unverified collections in a trade. */
  collections?: number
  trait?: string
  /** Offers that would end or that share a coin. */
  offers?: readonly BackedOffer[]
  retype?: boolean
  wayOut?: WayOut
}

/** An offer whose coin would also back the new offer. */
export interface BackedOffer {
  priceSats: number
  collectionSlug: string
  scopeLabel: string | null
  /** True if the new offer ends this offer immediately. */
  replaced: boolean
}

const UNDER_FLOOR = 0.9
const FAR_UNDER = 0.5
const TIMES_FLOOR = 20
const OF_BALANCE = 0.9
const NETWORK_SHARE = 0.1
const MOVED = 0.01

const percentOf = (sats: number, ofSats: number) => (sats / ofSats - 1) * 100

/** A price to compare with, under the word for it. */
type Compared = Required<Pick<Guard, 'against' | 'againstSats'>>

/** Returns the known prices. */
const known = (...all: readonly (readonly [PriceWord, number | null])[]): Compared[] =>
  all.flatMap(([against, againstSats]) => (againstSats === null ? [] : [{ against, againstSats }]))

/** Catches extra zeros in an amount. */
function sizeGuards(priceSats: number, of: Compared | undefined, balanceSats: number | null): Guard[] {
  const guards: Guard[] = []
  if (of && priceSats > TIMES_FLOOR * of.againstSats)
    guards.push({ id: 'size', level: 'confirm', ...of, percent: percentOf(priceSats, of.againstSats) })
  if (balanceSats !== null && priceSats > OF_BALANCE * balanceSats)
    guards.push({ id: 'balance', level: 'confirm', againstSats: balanceSats })
  return guards
}

/** `receiveSats`: payout after fees. `bestBid`: the best executable offer. */
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
  const references = known(['floor', floorSats], ['last sale', lastSaleSats])
  const far = references.find(({ againstSats }) => priceSats <= FAR_UNDER * againstSats)
  const under = (compared: Compared) => ({
    ...compared,
    percent: percentOf(priceSats, compared.againstSats),
  })
  const isUnder = ({ againstSats }: Compared) => priceSats <= UNDER_FLOOR * againstSats
  const [floor] = known(['floor', floorSats]).filter(isUnder)
  const [traitFloor] = known(['trait floor', traitFloorSats]).filter(isUnder)
  if (far) guards.push({ id: 'far-under', level: 'confirm', ...under(far), retype: true, ...wayOut })
  else if (floor) guards.push({ id: 'under-floor', level: 'confirm', ...under(floor), ...wayOut })
  // Most items have a dearer trait, so this is never a second press.
  else if (traitFloor) guards.push({ id: 'under-trait-floor', level: 'note', ...under(traitFloor) })
  return [...guards, ...sizeGuards(priceSats, references[0], null)]
}

/** Counter forms have one price field, so the price is not retyped. */
export const counterGuards = (counter: Parameters<typeof listGuards>[0]): Guard[] =>
  listGuards(counter).map(({ retype: _, wayOut: __, ...guard }) => guard)

export function offerGuards(offer: {
  priceSats: number
  listingSats: number | null
  floorSats: number | null
  balanceSats: number | null
}): Guard[] {
  const { priceSats, listingSats, floorSats, balanceSats } = offer
  const guards = sizeGuards(priceSats, known(['floor', floorSats])[0], balanceSats)
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

/** `floorSats`: lowest price of an item that matches; `of`: the word for it. */
export function bidGuards(bid: {
  priceSats: number
  floorSats: number | null
  of?: 'floor' | 'trait floor'
  balanceSats: number | null
}): Guard[] {
  const { priceSats, floorSats, balanceSats, of = 'floor' } = bid
  const [floor] = known([of, floorSats])
  const guards: Guard[] = []
  if (floor && priceSats > floor.againstSats)
    guards.push({
      id: 'above-floor',
      level: 'confirm',
      ...floor,
      percent: percentOf(priceSats, floor.againstSats),
      wayOut: 'sweep-floor',
    })
  return [...guards, ...sizeGuards(priceSats, floor, balanceSats)]
}

/** `best`: the offer with the highest payout. */
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

/** `backed`: offers that the coins already back. */
export function coinGuards(backed: readonly BackedOffer[]): Guard[] {
  const [replaced, sharing] = [
    backed.filter((each) => each.replaced),
    backed.filter((each) => !each.replaced),
  ]
  const of = (id: GuardId, offers: readonly BackedOffer[]): Guard[] =>
    offers.length > 0 ? [{ id, level: 'confirm', offers, wayOut: 'other-coin' }] : []
  return [...of('replaces', replaced), ...of('shares', sharing)]
}

/** Returns a note if the price is within the range of the trait's recent sales. */
export function inLineGuards(
  priceSats: number,
  sales: { leastSats: number; mostSats: number } | null,
  trait: string | null,
): Guard[] {
  if (!sales || !trait || priceSats < sales.leastSats || priceSats > sales.mostSats) return []
  return [{ id: 'in-line', level: 'note', againstSats: sales.leastSats, mostSats: sales.mostSats, trait }]
}

/** `sameNameAs`: the verified collection with a similar name. */
export function collectionGuards(collection: {
  verificationStatus: string
  sameNameAs: { name: string } | null
}): Guard[] {
  if (collection.verificationStatus === 'verified') return []
  return collection.sameNameAs === null
    ? [{ id: 'unverified', level: 'note' }]
    : [{ id: 'same-name', level: 'confirm', name: collection.sameNameAs.name, wayOut: 'verified-one' }]
}

/** Up to this part of the value that it gives, what a side gets is uneven. */
const UNEVEN = 0.9

/**
 * Guards of a trade of items. `balance`: estimated values; null while they are not known. `unverified`: collections that are not verified,
 * those that resemble a verified one first.
 */
export function tradeGuards(
  balance: { givesSats: number; getsSats: number; percent: number | null } | null,
  unverified: readonly { sameNameAs: { name: string } | null }[],
): Guard[] {
  const guards: Guard[] = []
  if (balance && balance.percent !== null && balance.getsSats <= UNEVEN * balance.givesSats)
    guards.push({
      id: 'uneven',
      level: 'confirm',
      against: 'estimated value',
      againstSats: balance.givesSats - balance.getsSats,
      percent: balance.percent,
    })
  const [first] = unverified
  if (!first) return guards
  const [worst] = collectionGuards({ verificationStatus: 'unverified', sameNameAs: first.sameNameAs })
  return [...guards, { ...worst!, collections: unverified.length }]
}

/** Returns a note if the network fee is a large share of the price. */
export const feeGuards = (priceSats: number, networkSats: number): Guard[] =>
  networkSats > NETWORK_SHARE * priceSats
    ? [{ id: 'fee-rate', level: 'note', percent: (networkSats / priceSats) * 100 }]
    : []

/** Blocks if the total got worse by more than 1% since it was shown. */
export function movedGuards(shownSats: number, totalSats: number, side: 'buyer' | 'seller'): Guard[] {
  const worse = side === 'buyer' ? totalSats - shownSats : shownSats - totalSats
  if (worse <= MOVED * Math.abs(shownSats)) return []
  return [
    { id: 'price-moved', level: 'stop', againstSats: shownSats, mostSats: totalSats, wayOut: 'new-total' },
  ]
}
