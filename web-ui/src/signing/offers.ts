import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { acceptCounter, acceptOffer, counter, offer } from '@ordbook/sdk/offers.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import type { SaleAgreement } from '@ordbook/sdk/verify.ts'
import { client } from '../api/client.ts'
import { money } from '../format/format.ts'
import type { Shown } from '../ticket/quotes/purchase-quote.ts'
import { alsoGoesOf, coinOf, itemOf, knownOf } from './items.ts'
import { type Billed, coinsOf, costLimits, networkLimit, refresh, type Trading, trader } from './trading.ts'

interface ActiveOffer extends Shown {
  inscriptionId: string
  offerId: string
  priceSats: number
}

/** The visitor's side of an offer, as shown in the review. */
interface Deal {
  side: 'buys' | 'sells'
  inscriptionId: string
  priceSats: number
  royaltyBps: number
  /** Title of the review, without the inscription's name. */
  title: string
  outcome: string
  quotedSats?: number | undefined
  maxNetworkSats: number
  /** True if the other side has signed. */
  settles?: boolean
}

/** Runs one step of an offer behind the review, then refreshes the pages. */
async function inReview<T>(
  trading: Trading,
  {
    side,
    inscriptionId,
    priceSats,
    royaltyBps,
    title,
    outcome,
    quotedSats,
    maxNetworkSats,
    settles = false,
  }: Deal,
  step: (sdkTrader: Trader, agreement: SaleAgreement) => Promise<T>,
): Promise<T> {
  const { buyerFeeBps, sellerFeeBps } = trading.market.fees
  const item = await itemOf(inscriptionId)
  const known = await knownOf([item], side === 'buys' ? 'arrives' : 'leaves')
  const intent = { title: `${title} ${item.name}`, outcome, known, quotedSats: [quotedSats], settles }
  const sdkTrader = await trader(trading, intent)
  const done = await step(sdkTrader, {
    inscriptionId,
    priceSats,
    coin: coinOf(item),
    alsoGoes: alsoGoesOf(known, inscriptionId),
    ...costLimits(
      trading,
      { feeBps: side === 'buys' ? buyerFeeBps : sellerFeeBps, royaltyBps, priceSats },
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
    networkSats,
    ...input
  }: { priceSats: number; hours: ValidityHours; royaltyBps: number } & Billed,
): Promise<void> {
  const outcome = `You offer ${money(input.priceSats)}. Your coins stay where they are. When the owner accepts, you pay and get the inscription in one transaction. Spending one of these coins or cancelling the offer ends it.`
  const { walletBindingId } = trading.signed
  const maxNetworkSats = await networkLimit({ networkSats }, () =>
    client.call('quoteOffers', {
      params: { slug },
      body: { walletBindingId, inscriptionIds: [inscriptionId], priceSats: input.priceSats },
    }),
  )
  const deal = { side: 'buys', inscriptionId, ...input, maxNetworkSats, title: 'Offer for', outcome } as const
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
  const outcome = `You accept ${money(activeOffer.priceSats)}. It completes immediately.`
  const { offerId, inscriptionId: id } = activeOffer
  const { walletBindingId } = trading.signed
  const maxNetworkSats = await networkLimit(activeOffer, () =>
    client.call('quoteOfferAcceptance', { params: { id, offerId }, body: { walletBindingId } }),
  )
  const deal = {
    ...activeOffer,
    side: 'sells',
    royaltyBps,
    maxNetworkSats,
    title: 'Sell',
    outcome,
    settles: true,
  } as const
  const settled = await inReview(trading, deal, (sdkTrader, agreement) =>
    acceptOffer(sdkTrader, activeOffer.offerId, agreement),
  )
  return settled.settlementTxid
}

export async function counterOffer(
  trading: Trading,
  activeOffer: { inscriptionId: string; offerId: string },
  priceSats: number,
  royaltyBps: number,
): Promise<void> {
  const outcome = `You ask this buyer for ${money(priceSats)}. Nothing moves until the buyer accepts. You can cancel at any time.`
  // The buyer pays the network fee.
  const costs = { royaltyBps, maxNetworkSats: 0 }
  const deal = {
    ...activeOffer,
    ...costs,
    side: 'sells',
    priceSats,
    title: 'Counter-offer for',
    outcome,
  } as const
  await inReview(trading, deal, (sdkTrader, agreement) => counter(sdkTrader, activeOffer.offerId, agreement))
}

/** Accepts the counter to an own offer. Returns the settlement txid. */
export async function acceptCounterOf(
  trading: Trading,
  activeOffer: ActiveOffer,
  royaltyBps: number,
): Promise<string> {
  const outcome = `You accept the counter-offer of ${money(activeOffer.priceSats)}. It completes immediately.`
  const { offerId, inscriptionId: id } = activeOffer
  const { walletBindingId } = trading.signed
  const maxNetworkSats = await networkLimit(activeOffer, () =>
    client.call('quoteCounterAcceptance', { params: { id, offerId }, body: { walletBindingId } }),
  )
  const deal = {
    ...activeOffer,
    side: 'buys',
    royaltyBps,
    maxNetworkSats,
    title: 'Buy',
    outcome,
    settles: true,
  } as const
  const settled = await inReview(trading, deal, async (sdkTrader, agreement) =>
    acceptCounter(sdkTrader, activeOffer.offerId, { ...agreement, coins: await coinsOf(trading) }),
  )
  return settled.settlementTxid
}
