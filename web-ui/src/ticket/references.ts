import type { Answer } from '@ordbook/sdk/operations.ts'
import { ticket } from '../strings/trade.ts'
import type { Reference } from './comparison.tsx'

type Compared = Pick<Answer<'quotePurchase'>, 'collection' | 'comparisons'>

export const factsOf = (quote: Compared | undefined, inscriptionId: string) =>
  quote?.comparisons.find((comparison) => comparison.inscriptionId === inscriptionId)

export function referencesOf(quote: Compared | undefined, inscriptionId: string): Reference[] {
  if (!quote) return []
  const facts = factsOf(quote, inscriptionId)
  return [
    { label: ticket.floor, sats: quote.collection.floorSats },
    { label: ticket.traitFloor, sats: facts?.traitFloor?.floorSats ?? null },
    { label: ticket.topOffer, sats: topOfferOf(quote, inscriptionId) },
    { label: ticket.lastSale, sats: facts?.lastSaleSats ?? null },
  ]
}

/** Returns the highest offer on an item or for its collection. */
export function topOfferOf(quote: Compared | undefined, inscriptionId: string): number | null {
  const offers = [factsOf(quote, inscriptionId)?.topOfferSats, quote?.collection.topOfferSats]
  const known = offers.filter((offer) => typeof offer === 'number')
  return known.length > 0 ? Math.max(...known) : null
}
