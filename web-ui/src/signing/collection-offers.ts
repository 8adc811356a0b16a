import type { ValidityHours } from '@ordbook/contract/durations.ts'
import { bid, fill } from '@ordbook/sdk/collection-offers.ts'
import type { Body } from '@ordbook/sdk/operations.ts'
import { client } from '../api/client.ts'
import type { Shown } from '../ticket/quotes/purchase-quote.ts'
import { alsoGoesOf, coinOf, itemOf, tradedOf } from './items.ts'
import { type Billed, billedQuote, coinsOf, costLimits, refresh, type Trading, trader } from './trading.ts'

/** Input of an offer or a ladder. `offersSats`: total per offer, as shown. */
interface BidInput extends Billed {
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
  const sdkTrader = await trader(trading, {
    agreement: {
      kind: 'bid',
      about: input.about,
      pricesSats: Array.from({ length: input.count }, (_, n) => input.priceSats - n * input.stepSats),
    },
    quotes: [input.quote],
    offersSats: input.offersSats,
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
  const { quote, maxNetworkSats } = await billedQuote(shownOffer, () =>
    client.call('quoteFill', { params: { slug, offerId }, body: { walletBindingId, inscriptionId } }),
  )
  const item = await itemOf(inscriptionId)
  const traded = await tradedOf([item], 'leaves')
  const agreement = { kind: 'sell', item: traded[0]!, priceSats } as const
  const sdkTrader = await trader(trading, { agreement, quotes: [quote] })
  const { settlementTxid } = await fill(sdkTrader, slug, shownOffer.offerId, {
    inscriptionId: shownOffer.inscriptionId,
    priceSats: shownOffer.priceSats,
    coin: coinOf(item),
    alsoGoes: alsoGoesOf(traded, shownOffer.inscriptionId),
    ...costLimits(trading, { feeBps: trading.market.fees.fillFeeBps, royaltyBps, priceSats }, maxNetworkSats),
    evenBelowTopOffer: shownOffer.passedOver ?? false,
  })
  await refresh()
  return settlementTxid
}
