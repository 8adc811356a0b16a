import { useRead } from '../api/client.ts'
import { useSession } from '../session/session.tsx'

/** An offer that can be taken now; without a slug it is on the item itself. */
export interface Bid {
  offerId: string
  priceSats: number
  collectionSlug: string | null
}

/** The subject of the ticket by which an item is sold into an offer. Its fields are the offer. */
export const saleOf = (inscriptionId: string) => `sell ${inscriptionId}`

/** The offer in the fields of a ticket, which may come from storage; null for anything else. */
export function bidIn(value: unknown): Bid | null {
  if (typeof value !== 'object' || value === null) return null
  const { offerId, priceSats, collectionSlug }: Partial<Record<keyof Bid, unknown>> = value
  if (typeof offerId !== 'string' || typeof priceSats !== 'number') return null
  if (collectionSlug !== null && typeof collectionSlug !== 'string') return null
  return { offerId, priceSats, collectionSlug }
}

/** The bill of selling an item into an offer, renewed each minute and by live events. */
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
