import { type Answer, acceptOffer, fill, type SaleAgreement, type Trader } from '@ordbook/sdk'
import { money } from './amounts.ts'
import { Failure } from './failure.ts'
import { readPages } from './pages.ts'
import type { Item, TradeSession } from './trade-session.ts'
import type { Result } from './verb.ts'

/** An offer or counter of the session's wallets. */
export type SentOffer = Extract<Answer<'listMyOffers'>, { view: 'sent' }>['rows'][number]

/** Reads the active offers of the session's wallets for single inscriptions. Throws ApiError and Failure. */
export const readSentOffers = ({ client }: Pick<TradeSession, 'client'>): Promise<SentOffer[]> =>
  readPages(
    (from) => client.call('listMyOffers', { query: { view: 'sent', ...from } }),
    (page) => (page.view === 'sent' ? page.rows : []),
  )

/** An active offer as the market reports it. */
export interface FoundOffer {
  offerId: string
  kind: 'buyer_offer' | 'seller_counter'
  priceSats: number
  /** Null for a collection or trait offer. */
  sellerAddress: string | null
  /** Collection of a collection or trait offer; null for an offer on the inscription. */
  collectionSlug: string | null
}

/** Finds an active offer that an inscription can be sold to, or a counter. Throws Failure. */
export async function findOffer(
  { client }: TradeSession,
  { inscriptionId, slug }: Item,
  offerId: string,
): Promise<FoundOffer> {
  const { offers } = await client.call('listInscriptionOffers', { params: { id: inscriptionId } })
  const offer = offers.find(({ id }) => id === offerId)
  if (offer) return { ...offer, offerId, collectionSlug: null }
  if (slug !== null) {
    const { rows } = await client.call('listCollectionOfferBook', { params: { slug } })
    const bid = rows.find(({ id }) => id === offerId)
    if (bid)
      return {
        offerId,
        kind: 'buyer_offer',
        priceSats: bid.priceSats,
        sellerAddress: null,
        collectionSlug: slug,
      }
  }
  throw new Failure('no-such-offer', `there is no active offer ${offerId} for ${inscriptionId}`)
}

/** Sells an inscription to an offer at the price of `agreement`, even if another offer pays more. */
export async function sellTo(
  trader: Trader,
  { offerId, collectionSlug }: Pick<FoundOffer, 'offerId' | 'collectionSlug'>,
  agreement: SaleAgreement,
): Promise<Result> {
  const { inscriptionId, priceSats } = agreement
  const sold =
    collectionSlug === null
      ? await acceptOffer(trader, offerId, agreement)
      : await fill(trader, collectionSlug, offerId, { ...agreement, evenBelowTopOffer: true })
  return {
    document: { inscriptionId, priceSats, ...sold },
    text: `sold ${inscriptionId} for ${money(priceSats)}, ${money(sold.payoutSats)} after fees, settlement ${sold.settlementTxid}`,
  }
}

/** Rejects an offer of another price than the user named. Throws Failure. */
export function demandPrice({ offerId, priceSats }: FoundOffer, agreedSats: number, option: string): void {
  if (priceSats !== agreedSats)
    throw new Failure(
      'other-terms',
      `offer ${offerId} has the price ${money(priceSats)}: to agree to it, pass --${option} ${priceSats}`,
    )
}
