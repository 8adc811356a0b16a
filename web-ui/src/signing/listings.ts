import type { DurationDays } from '@ordbook/contract/durations.ts'
import { ApiError } from '@ordbook/sdk/errors.ts'
import { signTogether } from '@ordbook/sdk/sign-together.ts'
import { buy, list } from '@ordbook/sdk/trade.ts'
import { client } from '../api/client.ts'
import { errorText } from '../api/error-text.ts'
import { ago, money } from '../format/format.ts'
import type { TradedItem } from '../review/agreement.ts'
import { failed as words } from '../strings/errors.ts'
import type { Shown, ShownQuote } from '../ticket/quotes/purchase-quote.ts'
import { alsoGoesOf, coinOf, itemOf, tradedOf } from './items.ts'
import type { Intent } from './trader.ts'
import { billedQuote, coinsOf, costLimits, refresh, type Trading, trader } from './trading.ts'

const MAX_AT_ONCE = 20

/** An item to list, with its price, fees and floor as shown. */
export interface ToBeListed {
  inscriptionId: string
  priceSats: number
  feeBps: number
  floorSats: number | null
}

/** What the review of listings shows. */
export const listIntent = (
  traded: readonly TradedItem[],
  inputs: readonly ToBeListed[],
  shown: { days: DurationDays; quotes: readonly ShownQuote[]; isInEscrow: boolean },
): Intent => ({
  agreement: {
    kind: 'list',
    listed: inputs.map(({ priceSats }, n) => ({ item: traded[n]!, priceSats })),
    days: shown.days,
    isInEscrow: shown.isInEscrow,
  },
  quotes: shown.quotes,
  floors: new Map(inputs.map(({ inscriptionId, floorSats }) => [inscriptionId, floorSats])),
})

/** Lists inscriptions of a collection with one review. Throws if only some were listed. */
export async function listItems(
  trading: Trading,
  slug: string,
  inputs: readonly ToBeListed[],
  days: DurationDays,
  quotes: readonly ShownQuote[],
): Promise<void> {
  const items = await Promise.all(inputs.map((each) => itemOf(each.inscriptionId)))
  const traded = await tradedOf(items, 'leaves')
  const sdkTrader = await trader(trading, listIntent(traded, inputs, { days, quotes, isInEscrow: false }))
  const agreed = inputs.map(({ inscriptionId, priceSats, feeBps }, n) => ({
    inscriptionId,
    priceSats,
    coin: coinOf(items[n]!),
    maxFeeBps: feeBps,
    alsoGoes: alsoGoesOf(traded, inscriptionId),
  }))
  const parts = Array.from({ length: Math.ceil(agreed.length / MAX_AT_ONCE) }, (_, n) =>
    agreed.slice(n * MAX_AT_ONCE, (n + 1) * MAX_AT_ONCE),
  )
  const results = await signTogether(
    sdkTrader,
    parts.map((part) => (each) => list(each, slug, part, days)),
  )
  await refresh()
  const failed = results.find((result) => result.status === 'rejected')
  if (!failed) return
  const listed = parts.filter((_, n) => results[n]!.status === 'fulfilled').flat().length
  if (listed === 0) throw failed.reason
  throw new Error(
    `${listed} of ${inputs.length} items were listed. The others failed: ${errorText(failed.reason)}`,
  )
}

export async function delistItems(
  { signed }: Trading,
  slug: string,
  listings: { inscriptionId: string; listingId: string }[],
): Promise<void> {
  const { walletBindingId } = signed
  for (let at = 0; at < listings.length; at += MAX_AT_ONCE)
    await client.call('delistListing', {
      params: { slug },
      body: { walletBindingId, listings: listings.slice(at, at + MAX_AT_ONCE) },
    })
  await refresh()
}

export interface Wanted {
  inscriptionId: string
  listingId: string
  priceSats: number
  name: string
}

/** Buys up to 20 listings of a collection. Returns the settlement txid. */
export async function buyItems(
  trading: Trading,
  slug: string,
  wanted: readonly Wanted[],
  royaltyBps: number,
  shown: Shown = {},
): Promise<string> {
  const listings = wanted.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId }))
  const { walletBindingId } = trading.signed
  const { quote, maxNetworkSats } = await billedQuote(shown, () =>
    client.call('quotePurchase', { params: { slug }, body: { walletBindingId, listings } }),
  )
  const items = await Promise.all(wanted.map((each) => itemOf(each.inscriptionId)))
  const traded = await tradedOf(items, 'arrives')
  const sdkTrader = await trader(trading, {
    agreement: {
      kind: 'buy',
      bought: wanted.map(({ priceSats }, n) => ({ item: traded[n]!, priceSats })),
    },
    quotes: [quote],
  })
  const { settlementTxid } = await buy(sdkTrader, slug, {
    items: wanted.map(({ inscriptionId, listingId, priceSats }, n) => ({
      inscriptionId,
      listingId,
      priceSats,
      coin: coinOf(items[n]!),
    })),
    coins: await coinsOf(trading),
    ...costLimits(
      trading,
      {
        feeBps: trading.market.fees.buyerFeeBps,
        royaltyBps,
        priceSats: Math.max(...wanted.map((each) => each.priceSats)),
      },
      maxNetworkSats,
    ),
  }).catch(async (error: unknown) => {
    throw (await soldMeanwhile(error, wanted)) ?? error
  })
  await refresh()
  return settlementTxid
}

/** Returns an error that names the sale if a single wanted listing was sold, otherwise null. */
async function soldMeanwhile(error: unknown, wanted: readonly Wanted[]): Promise<Error | null> {
  if (!(error instanceof ApiError) || error.code !== 'listing-not-buyable' || wanted.length > 1) return null
  const { inscriptionId } = wanted[0]!
  const answer = await client
    .call('listActivity', { query: { inscriptionId, kind: 'sales', limit: 1 } })
    .catch(() => null)
  const [last] = answer?.activity ?? []
  return last?.priceSats ? new Error(words.sold(ago(last.at), money(last.priceSats))) : null
}
