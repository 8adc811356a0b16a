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
import { type Intent, SUBMIT_REPEATS } from './trader.ts'
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

/** Lists inscriptions, also of several collections, with one review. Throws if only some were listed. */
export async function listItems(
  trading: Trading,
  inputs: readonly (ToBeListed & { slug: string })[],
  days: DurationDays,
  quotes: readonly ShownQuote[],
): Promise<void> {
  const items = await Promise.all(inputs.map((each) => itemOf(each.inscriptionId)))
  const traded = await tradedOf(items, 'leaves')
  const sdkTrader = await trader(trading, listIntent(traded, inputs, { days, quotes, isInEscrow: false }))
  const agreed = inputs.map(({ inscriptionId, slug, priceSats, feeBps }, n) => ({
    slug,
    inscriptionId,
    priceSats,
    coin: coinOf(items[n]!),
    maxFeeBps: feeBps,
    alsoGoes: alsoGoesOf(traded, inscriptionId),
  }))
  const parts = inParts(agreed)
  let failure: unknown = null
  const { wallet } = sdkTrader
  const signPsbts: typeof wallet.signPsbts = async (...requests) => {
    // If a part failed, the review would show listings that are not signed.
    if (failure !== null) throw failure
    return wallet.signPsbts!(...requests)
  }
  const results = await signTogether(
    { ...sdkTrader, wallet: { ...wallet, signPsbts } },
    parts.map(
      ({ slug, part }) =>
        (each) =>
          list(each, slug, part, days).catch((error: unknown) => {
            failure ??= error
            throw error
          }),
    ),
  )
  await refresh()
  const listed = parts.flatMap(({ part }, n) => (results[n]!.status === 'fulfilled' ? part : [])).length
  throwFailed(results, words.listedSome(listed, inputs.length), listed === 0)
}

export interface ListedItem {
  inscriptionId: string
  listingId: string
  slug: string
}

/** Ends listings, also of several collections. Throws if only some ended. */
export async function delistItems({ signed }: Trading, listings: readonly ListedItem[]): Promise<void> {
  const { walletBindingId } = signed
  const results: PromiseSettledResult<unknown>[] = []
  let delisted = 0
  for (const { slug, part } of inParts(listings)) {
    const body = {
      walletBindingId,
      listings: part.map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId })),
    }
    const call = client.call('delistListing', { params: { slug }, body }, { repeats: SUBMIT_REPEATS })
    const [result] = await Promise.allSettled([call])
    results.push(result)
    if (result.status === 'fulfilled') delisted += part.length
  }
  await refresh()
  throwFailed(results, words.delistedSome(delisted, listings.length), delisted === 0)
}

/** Divides items into requests: one collection and at most 20 items each. */
const inParts = <T extends { slug: string }>(all: readonly T[]): { slug: string; part: T[] }[] =>
  [...Map.groupBy(all, ({ slug }) => slug)].flatMap(([slug, items]) =>
    Array.from({ length: Math.ceil(items.length / MAX_AT_ONCE) }, (_, n) => ({
      slug,
      part: items.slice(n * MAX_AT_ONCE, (n + 1) * MAX_AT_ONCE),
    })),
  )

/** Throws the first failure, if any: as it is if all failed, otherwise after what succeeded. */
function throwFailed(results: readonly PromiseSettledResult<unknown>[], some: string, isAll: boolean): void {
  const failed = results.find((result) => result.status === 'rejected')
  if (!failed) return
  throw isAll ? failed.reason : new Error(`${some} ${errorText(failed.reason)}`)
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
