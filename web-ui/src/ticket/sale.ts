import { useRead } from '../api/client.ts'
import { useSession } from '../session/session.tsx'

/** `collectionSlug` is null for an offer on an item. */
export interface Bid {
  offerId: string
  priceSats: number
  collectionSlug: string | null
}

/** Subject of the ticket that sells an item. */
export const saleOf = (inscriptionId: string) => `sell ${inscriptionId}`

/** Parses the offer in the fields of a ticket. Returns null if it is invalid. */
export function bidIn(value: unknown): Bid | null {
  if (typeof value !== 'object' || value === null) return null
  const { offerId, priceSats, collectionSlug }: Partial<Record<keyof Bid, unknown>> = value
  if (typeof offerId !== 'string' || typeof priceSats !== 'number') return null
  if (collectionSlug !== null && typeof collectionSlug !== 'string') return null
  return { offerId, priceSats, collectionSlug }
}

/** Quotes the sale of an item into an offer. */
export function useSaleQuote(inscriptionId: string, { offerId, collectionSlug }: Bid) {
  const { account } = useSession()
  const walletBindingId = account?.walletBindingId ?? ''
  const isOnItem = collectionSlug === null
  const accepted = useRead(
    'quoteOfferAcceptance',
    { params: { id: inscriptionId, offerId }, body: { walletBindingId } },
    { enabled: Boolean(account) && isOnItem, refetchInterval: 60_000 },
  )
  const filled = useRead(
    'quoteFill',
    { params: { slug: collectionSlug ?? '', offerId }, body: { walletBindingId, inscriptionId } },
    { enabled: Boolean(account) && !isOnItem, refetchInterval: 60_000 },
  )
  return isOnItem ? accepted : filled
}
