import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { bid, fill } from '@ordbook/sdk/collection-offers.ts'
import type { Body } from '@ordbook/sdk/operations.ts'
import { client } from '../api/client.ts'
import { money } from '../format/format.ts'
import { review } from '../strings/trade.ts'
import type { Shown } from '../ticket/quotes/purchase-quote.ts'
import { alsoGoesOf, coinOf, itemOf, knownOf } from './items.ts'
import { type Billed, coinsOf, costLimits, networkLimit, refresh, type Trading, trader } from './trading.ts'

/** Input for one collection or trait offer, or a ladder. `offersSats`: the total of each offer that the page showed. */
interface BidWish extends Pick<Billed, 'coins'> {
  target: Body<'preflightCollectionWideOffer'>['target']
  priceSats: number
  count: number
  stepSats: number
  hours: ValidityHours
  about: string
  offersSats?: readonly number[] | undefined
}

/** Makes an offer for any inscription of a collection or trait, or a ladder of offers, each `stepSats` below the previous one. */
export async function makeBid(trading: Trading, slug: string, wish: BidWish): Promise<void> {
  const lowest = wish.priceSats - (wish.count - 1) * wish.stepSats
  const offered =
    wish.count === 1
      ? `You offer ${money(wish.priceSats)} for any one of ${wish.about}.`
      : `You make ${wish.count} offers from ${money(wish.priceSats)} down to ${money(lowest)} for any one of ${wish.about} each. Offers that share a coin end together.`
  const one = await trader(trading, {
    title: `Offer for ${wish.about}`,
    outcome: `${offered} The coins are set aside by two keys of the market that act only for an eligible inscription; you can take them back at any time. ${review.marketDecides}`,
    known: [],
    quotedSats: wish.offersSats ?? [],
  })
  await bid(
    one,
    slug,
    {
      target: wish.target,
      priceSats: wish.priceSats,
      ...(wish.count > 1 ? { offerCount: wish.count, ladderStepSats: wish.stepSats } : {}),
      coins: await coinsOf(trading, wish.coins),
    },
    wish.hours,
  )
  await refresh()
}

export async function fillBid(
  trading: Trading,
  slug: string,
  at: Shown & {
    offerId: string
    inscriptionId: string
    priceSats: number
    /** Id of a better offer that the seller chose to ignore. The market rejects a sale below any other better offer. */
    passedOver: string | undefined
  },
  royaltyBps: number,
): Promise<string> {
  const { offerId, inscriptionId, priceSats } = at
  const { walletBindingId } = trading.signed
  const maxNetworkSats = await networkLimit(at, () =>
    client.call('quoteFill', { params: { slug, offerId }, body: { walletBindingId, inscriptionId } }),
  )
  const item = await itemOf(inscriptionId)
  const known = await knownOf([item], 'leaves')
  const one = await trader(trading, {
    title: `Sell ${item.name}`,
    outcome: `You accept an offer of ${money(at.priceSats)}. It completes immediately.`,
    known,
    quotedSats: [at.quotedSats],
    settles: true,
  })
  const { settlementTxid } = await fill(one, slug, at.offerId, {
    inscriptionId: at.inscriptionId,
    priceSats: at.priceSats,
    coin: coinOf(item),
    alsoGoes: alsoGoesOf(known, at.inscriptionId),
    ...costLimits(trading, { feeBps: trading.market.fees.fillFeeBps, royaltyBps, priceSats }, maxNetworkSats),
    evenBelowTopOffer: at.passedOver ?? false,
  })
  await refresh()
  return settlementTxid
}
