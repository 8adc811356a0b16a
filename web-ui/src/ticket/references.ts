import type { Answer } from '@ordbook/sdk/operations.ts'
import { difference } from '../money/difference.ts'
import { ticket } from '../strings/trade.ts'
import type { Reference } from './comparison.tsx'

type Compared = Pick<Answer<'quotePurchase'>, 'collection' | 'comparisons'>

export const factsOf = (quote: Compared | undefined, inscriptionId: string) =>
  quote?.comparisons.find((comparison) => comparison.inscriptionId === inscriptionId)

/** Returns the prices to compare with, each under the word of contract/src/price-words.ts. */
export function referencesOf(quote: Compared | undefined, inscriptionId: string): Reference[] {
  if (!quote) return []
  const facts = factsOf(quote, inscriptionId)
  const { traitFloor = null } = facts ?? {}
  return [
    { label: ticket.floor, sats: quote.collection.floorSats },
    { label: ticket.traitFloor, sats: traitFloor?.floorSats ?? null, of: traitFloor?.value },
    bestBidOf(quote, inscriptionId),
    { label: ticket.lastSale, sats: facts?.lastSaleSats ?? null },
  ]
}

/** Returns the best bid on an item, with its kind. */
export function bestBidOf(quote: Compared | undefined, inscriptionId: string): Reference {
  const bid = factsOf(quote, inscriptionId)?.bestBid ?? null
  if (!quote || !bid) return { label: ticket.bestBid, sats: null }
  const kind =
    bid.collectionSlug === null
      ? ticket.bidKinds.item
      : bid.priceSats === quote.collection.topOfferSats
        ? ticket.bidKinds.collection
        : ticket.bidKinds.trait
  return { label: ticket.bestBid, sats: bid.priceSats, of: kind }
}

/** Returns a choice rounded to the price step. If that changes the price, its label says by how much. */
export function roundedChoice(
  { label, sats }: Reference,
  round: (sats: number) => number,
): { label: string; sats: number | null } {
  if (sats === null) return { label, sats }
  const rounded = round(sats)
  return { label: rounded === sats ? label : `${label} ${difference(rounded, sats)}`, sats: rounded }
}
