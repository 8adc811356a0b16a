import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { ApiError, CheckFailed, OverBudget } from './errors.ts'
import type { Answer } from './operations.ts'
import { buy, coinOfItem } from './trade.ts'
import type { Trader } from './trader.ts'
import type { CostLimits } from './verify/answer-checks.ts'
import type { InscriptionCoin } from './verify/owner.ts'
import type { PurchaseAgreement } from './verify/purchase.ts'

type Listing = Answer<'listListings'>['listings'][number]

/** Refusals of a purchase that fewer listings may mend. */
const TOO_DEAR: ReadonlySet<ApiError['code']> = new Set<ErrorCode>(['coins-insufficient', 'coins-fragmented'])

/**
 * Buys the cheapest listings of a collection in one settlement: up to `count` (1 to 20), as many as `budgetSats` covers with all fees and
 * postage. Throws CheckFailed if it does not cover one, and the errors of `buy`.
 */
export async function sweep(
  trader: Trader,
  slug: string,
  wish: {
    count: number
    budgetSats: number
    /** Most for one listing. */
    maxPriceSats?: number
    /** The inscriptions that may be bought. By default, the market decides what belongs to the collection. */
    eligibleIds?: ReadonlySet<string>
    /** The coin of a listing. By default the market is believed; `coinByNode` proves it. */
    coinOf?: (listing: Listing) => InscriptionCoin | Promise<InscriptionCoin>
    coins: readonly (Outpoint & { valueSats: number })[]
  } & CostLimits,
): Promise<Answer<'submitPurchase'> & { costSats: number }> {
  const { client, wallet } = trader
  if (!(wish.count >= 1 && wish.count <= 20))
    throw new RangeError('count is 1 to 20: one settlement holds no more')
  const { listings } = await client.call('listListings', {
    query: { collectionSlug: slug, sort: 'price', limit: 100 },
  })
  const { maxPriceSats = Number.MAX_SAFE_INTEGER, coinOf = coinOfItem, eligibleIds } = wish
  const foreign = listings
    .filter(
      ({ sellerAddress, priceSats, collection, inscriptionId }) =>
        sellerAddress !== wallet.ordinalsAddress &&
        priceSats <= maxPriceSats &&
        collection?.slug === slug.toLowerCase() &&
        (eligibleIds?.has(inscriptionId) ?? true),
    )
    .toSorted((a, b) => a.priceSats - b.priceSats)
  const items: PurchaseAgreement['items'][number][] = []
  let pricesSats = 0
  const taken = new Set<string>()
  for (const listing of foreign) {
    if (items.length === wish.count || pricesSats + listing.priceSats > wish.budgetSats) break
    const { inscriptionId, listingId, priceSats } = listing
    const coin = await coinOf(listing)
    // A coin can be bought once, even if the market lists it twice.
    if (taken.has(formatOutpoint(coin))) continue
    taken.add(formatOutpoint(coin))
    pricesSats += priceSats
    items.push({ inscriptionId, listingId, priceSats, coin })
  }
  // The prices fit; the preflight adds fees, network fee and postage. The most expensive item is dropped first.
  for (; items.length > 0; items.pop()) {
    const { coins, maxFeeBps, maxFeeSats = 0, maxNetworkSats, budgetSats: maxTotalSats } = wish
    const agreement = { items, coins, maxFeeBps, maxFeeSats, maxNetworkSats, maxTotalSats }
    try {
      return await buy(trader, slug, agreement)
    } catch (error) {
      const isOverBudget =
        error instanceof OverBudget || (error instanceof ApiError && TOO_DEAR.has(error.code))
      if (!isOverBudget || items.length === 1) throw error
    }
  }
  const cheapest = foreign[0]
  throw new CheckFailed(
    cheapest
      ? `${wish.budgetSats} sats do not cover the cheapest listing of ${slug}, ${cheapest.priceSats} sats plus fees`
      : `nothing of ${slug} is for sale${wish.maxPriceSats === undefined ? '' : ` for ${maxPriceSats} sats or less`}`,
  )
}
