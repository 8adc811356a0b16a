import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { bid, fill } from '@ordbook/sdk/collection-offers.ts'
import type { Body } from '@ordbook/sdk/operations.ts'
import { client } from '../api/client.ts'
import { money } from '../format/format.ts'
import { review } from '../strings/trade.ts'
import type { Shown } from '../ticket/quotes/purchase-quote.ts'
import { alsoGoesOf, coinOf, itemOf, knownOf } from './items.ts'
import { type Billed, coinsOf, costLimits, networkLimit, refresh, type Trading, trader } from './trading.ts'

/** Input of an offer or a ladder. `offersSats`: total of each offer, as shown. */
interface BidInput extends Pick<Billed, 'coins'> {
  target: Body<'preflightCollectionWideOffer'>['target']
  priceSats: number
  count: number
  stepSats: number
  hours: ValidityHours
  about: string
  offersSats?: readonly number[] | undefined
}

/** Makes a collection or trait offer, or a ladder of offers `stepSats` apart. */
export async function makeBid(trading: Trading, slug: string, input: BidInput): Promise<void> {
  const lowest = input.priceSats - (input.count - 1) * input.stepSats
  const offered =
    input.count === 1
      ? `You offer ${money(input.priceSats)} for any one of ${input.about}.`
      : `You make ${input.count} offers from ${money(input.priceSats)} down to ${money(lowest)}, each for any one of ${input.about}. Offers that share a coin end together.`
  const sdkTrader = await trader(trading, {
    title: `Offer for ${input.about}`,
    outcome: `${offered} Two keys of the market hold the coins and release them only for an eligible inscription. You can withdraw the coins at any time. ${review.marketDecides}`,
    known: [],
    quotedSats: input.offersSats ?? [],
  })
  await bid(
    sdkTrader,
    slug,
    {
      target: input.target,
      priceSats: input.priceSats,
      ...(input.count > 1 ? { offerCount: input.count, ladderStepSats: input.stepSats } : {}),
      coins: await coinsOf(trading, input.coins),
    },
    input.hours,
  )
  await refresh()
}

export async function fillBid(
  trading: Trading,
  slug: string,
  shownOffer: Shown & {
    offerId: string
    inscriptionId: string
    priceSats: number
    /** Id of a better offer that the seller ignored. */
    passedOver: string | undefined
  },
  royaltyBps: number,
): Promise<string> {
  const { offerId, inscriptionId, priceSats } = shownOffer
  const { walletBindingId } = trading.signed
  const maxNetworkSats = await networkLimit(shownOffer, () =>
    client.call('quoteFill', { params: { slug, offerId }, body: { walletBindingId, inscriptionId } }),
  )
  const item = await itemOf(inscriptionId)
  const known = await knownOf([item], 'leaves')
  const sdkTrader = await trader(trading, {
    title: `Sell ${item.name}`,
    outcome: `You accept an offer of ${money(shownOffer.priceSats)}. It completes immediately.`,
    known,
    quotedSats: [shownOffer.quotedSats],
    settles: true,
  })
  const { settlementTxid } = await fill(sdkTrader, slug, shownOffer.offerId, {
    inscriptionId: shownOffer.inscriptionId,
    priceSats: shownOffer.priceSats,
    coin: coinOf(item),
    alsoGoes: alsoGoesOf(known, shownOffer.inscriptionId),
    ...costLimits(trading, { feeBps: trading.market.fees.fillFeeBps, royaltyBps, priceSats }, maxNetworkSats),
    evenBelowTopOffer: shownOffer.passedOver ?? false,
  })
  await refresh()
  return settlementTxid
}
