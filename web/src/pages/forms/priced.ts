import { type AmountText, satsIn } from '@ordbook/web-ui/money/amount-text.ts'
import type { Fiat } from '@ordbook/web-ui/money/units.ts'
import { type Guard, inLineGuards, listGuards } from '@ordbook/web-ui/rules/guards.ts'
import type { ListFields } from '@ordbook/web-ui/ticket/fields/fields.ts'
import type { ListingFacts } from '@ordbook/web-ui/ticket/quotes/listing-quotes.ts'
import { factsOf } from '@ordbook/web-ui/ticket/references.ts'

export interface ToList {
  inscriptionId: string
  name: string
  slug: string | null
  floorSats: number | null
  /** Current price, or null if the item is not listed. */
  listedSats: number | null
  /** Items in escrow cannot be sold into an offer. */
  isInEscrow?: boolean
}

/** An item with its price, quote and guards. */
export interface Priced<T> {
  item: T
  price: AmountText
  again: AmountText
  sats: number | null
  facts: ListingFacts
  guards: readonly Guard[]
  /** False if a price far below the floor was not typed again. */
  isRepeated: boolean
}

export const NO_PRICES: ListFields = { chosen: [], prices: {}, again: {}, days: 30 }

export const DAYS = [
  [7, '1 week'],
  [30, '30 days'],
  [90, '90 days'],
  [180, '180 days'],
] as const

/** Returns the validity in the fields of a ticket, or the default. */
export const daysIn = (days: number) => DAYS.find(([each]) => each === days) ?? DAYS[1]

/** Returns an item with its price and guards. A pending quote uses the previous one. */
export function pricedOf<T extends ToList>(
  item: T,
  price: AmountText,
  again: AmountText,
  facts: ListingFacts,
  fiat: Fiat | null,
): Priced<T> {
  const sats = satsIn(price, fiat)
  const guards = sats ? guardsOf(item, sats, facts) : []
  const isRepeated = !guards.some((guard) => guard.retype) || satsIn(again, fiat) === sats
  return { item, price, again, sats, facts, guards, isRepeated }
}

function guardsOf(
  { inscriptionId, floorSats, isInEscrow }: ToList,
  priceSats: number,
  facts: ListingFacts,
): Guard[] {
  const compared = factsOf(facts?.data, inscriptionId)
  const isQuoted = facts?.item.priceSats === priceSats
  return [
    ...listGuards({
      priceSats,
      receiveSats: isQuoted ? facts.item.sellerReceiveSats : priceSats,
      floorSats: facts?.data.collection.floorSats ?? floorSats,
      traitFloorSats: compared?.traitFloor?.floorSats ?? null,
      lastSaleSats: compared?.lastSaleSats ?? null,
      bestBid: isQuoted && !isInEscrow ? (compared?.bestBid ?? null) : null,
    }),
    ...inLineGuards(priceSats, compared?.traitSales ?? null, compared?.traitFloor?.value ?? null),
  ]
}
