import { bid, fill } from '@ordbook/sdk/collection-offers.ts'
import { money } from '../format.ts'
import { type BidWish, coinsForBid } from './coins-for-bid.ts'
import { coinOf, itemOf, knownOf } from './items.ts'
import { type Hours, MOST_NETWORK_SATS, refresh, type Trading, trader } from './trading.ts'

/** A bid on any inscription of a collection, or of some of its traits, or a ladder of bids, each lower by a step. */
export async function makeBid(
  trading: Trading,
  slug: string,
  wish: BidWish & { hours: Hours; about: string },
): Promise<void> {
  const lowest = wish.priceSats - (wish.count - 1) * wish.stepSats
  const offered =
    wish.count === 1
      ? `You offer ${money(wish.priceSats)} for any one of ${wish.about}.`
      : `You make ${wish.count} offers from ${money(wish.priceSats)} down to ${money(lowest)} for any one of ${wish.about} each. Offers that share a coin end together.`
  const { coins } = await coinsForBid(trading.signed.walletBindingId, slug, wish)
  const one = await trader(trading, {
    title: `Offer for ${wish.about}`,
    outcome: `${offered} The coins are set aside by two keys of the market that act only for an eligible inscription; you can take them back at any time.`,
    known: [],
  })
  await bid(
    one,
    slug,
    {
      target: wish.target,
      priceSats: wish.priceSats,
      ...(wish.count > 1 ? { offerCount: wish.count, ladderStepSats: wish.stepSats } : {}),
      coins,
    },
    wish.hours,
  )
  await refresh()
}

export async function fillBid(
  trading: Trading,
  slug: string,
  at: { offerId: string; inscriptionId: string; priceSats: number; evenBelowTopOffer: boolean },
  royaltyBps: number,
): Promise<string> {
  const item = await itemOf(at.inscriptionId)
  const one = await trader(trading, {
    title: `Sell ${item.name}`,
    outcome: `You accept an offer of ${money(at.priceSats)}. It completes at once.`,
    known: await knownOf([item], 'leaves'),
  })
  const { settlementTxid } = await fill(one, slug, at.offerId, {
    inscriptionId: at.inscriptionId,
    priceSats: at.priceSats,
    coin: coinOf(item),
    maxFeeBps: trading.market.fees.fillFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
    evenBelowTopOffer: at.evenBelowTopOffer,
  })
  await refresh()
  return settlementTxid
}
