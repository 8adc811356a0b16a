import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { acceptCounter, acceptOffer, counter, offer } from '@ordbook/sdk/offers.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import type { SaleAgreement } from '@ordbook/sdk/verify.ts'
import { client } from '../api/client.ts'
import type { Shown, ShownQuote } from '../ticket/quotes/purchase-quote.ts'
import { alsoGoesOf, coinOf, itemOf, tradedOf } from './items.ts'
import { type Billed, billedQuote, coinsOf, costLimits, refresh, type Trading, trader } from './trading.ts'

interface ActiveOffer extends Shown {
  inscriptionId: string
  offerId: string
  priceSats: number
}

/** The visitor's side of an offer, as shown in the review. */
interface Deal {
  kind: 'offer' | 'accept' | 'counter' | 'accept-counter'
  inscriptionId: string
  priceSats: number
  royaltyBps: number
  quote: ShownQuote | undefined
  maxNetworkSats: number
}

/** Runs one step of an offer behind the review, then refreshes the pages. */
async function inReview<T>(
  trading: Trading,
  { kind, inscriptionId, priceSats, royaltyBps, quote, maxNetworkSats }: Deal,
  step: (sdkTrader: Trader, agreement: SaleAgreement) => Promise<T>,
): Promise<T> {
  const { buyerFeeBps, sellerFeeBps } = trading.market.fees
  const buys = kind === 'offer' || kind === 'accept-counter'
  const item = await itemOf(inscriptionId)
  const traded = await tradedOf([item], buys ? 'arrives' : 'leaves')
  const agreement = { kind, item: traded[0]!, priceSats }
  const sdkTrader = await trader(trading, { agreement, quotes: [quote] })
  const done = await step(sdkTrader, {
    inscriptionId,
    priceSats,
    coin: coinOf(item),
    alsoGoes: alsoGoesOf(traded, inscriptionId),
    ...costLimits(
      trading,
      { feeBps: buys ? buyerFeeBps : sellerFeeBps, royaltyBps, priceSats },
      maxNetworkSats,
    ),
  })
  await refresh()
  return done
}

/** Makes an offer with the coins of the quote. */
export async function makeOffer(
  trading: Trading,
  slug: string,
  inscriptionId: string,
  {
    hours,
    coins,
    quote: shownQuote,
    ...input
  }: { priceSats: number; hours: ValidityHours; royaltyBps: number } & Billed,
): Promise<void> {
  const { walletBindingId } = trading.signed
  const billed = await billedQuote({ quote: shownQuote }, () =>
    client.call('quoteOffers', {
      params: { slug },
      body: { walletBindingId, inscriptionIds: [inscriptionId], priceSats: input.priceSats },
    }),
  )
  const deal = { kind: 'offer', inscriptionId, ...input, ...billed } as const
  await inReview(trading, deal, async (sdkTrader, { inscriptionId: id, coin, ...terms }) =>
    offer(
      sdkTrader,
      slug,
      { ...terms, items: [{ inscriptionId: id, coin }], coins: await coinsOf(trading, coins) },
      hours,
    ),
  )
}

/** Accepts an offer on an own inscription. Returns the settlement txid. */
export async function acceptOfferOf(
  trading: Trading,
  activeOffer: ActiveOffer,
  royaltyBps: number,
): Promise<string> {
  const { offerId, inscriptionId: id } = activeOffer
  const { walletBindingId } = trading.signed
  const billed = await billedQuote(activeOffer, () =>
    client.call('quoteOfferAcceptance', { params: { id, offerId }, body: { walletBindingId } }),
  )
  const deal = { ...activeOffer, kind: 'accept', royaltyBps, ...billed } as const
  const settled = await inReview(trading, deal, (sdkTrader, agreement) =>
    acceptOffer(sdkTrader, activeOffer.offerId, agreement),
  )
  return settled.settlementTxid
}

export async function counterOffer(
  trading: Trading,
  activeOffer: Omit<ActiveOffer, 'priceSats'>,
  priceSats: number,
  royaltyBps: number,
): Promise<void> {
  const { inscriptionId, quote } = activeOffer
  // The buyer pays the network fee.
  const deal = { kind: 'counter', inscriptionId, priceSats, royaltyBps, quote, maxNetworkSats: 0 } as const
  await inReview(trading, deal, (sdkTrader, agreement) => counter(sdkTrader, activeOffer.offerId, agreement))
}

/** Accepts the counter to an own offer. Returns the settlement txid. */
export async function acceptCounterOf(
  trading: Trading,
  activeOffer: ActiveOffer,
  royaltyBps: number,
): Promise<string> {
  const { offerId, inscriptionId: id } = activeOffer
  const { walletBindingId } = trading.signed
  const billed = await billedQuote(activeOffer, () =>
    client.call('quoteCounterAcceptance', { params: { id, offerId }, body: { walletBindingId } }),
  )
  const deal = { ...activeOffer, kind: 'accept-counter', royaltyBps, ...billed } as const
  const settled = await inReview(trading, deal, async (sdkTrader, agreement) =>
    acceptCounter(sdkTrader, activeOffer.offerId, { ...agreement, coins: await coinsOf(trading) }),
  )
  return settled.settlementTxid
}
