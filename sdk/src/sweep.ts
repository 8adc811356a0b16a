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

/** Errors that a purchase of fewer listings may avoid. */
const TOO_EXPENSIVE: ReadonlySet<ApiError['code']> = new Set<ErrorCode>([
  'coins-insufficient',
  'coins-fragmented',
])

/**
 * Buys the cheapest listings of a collection in one settlement: up to `count` (1 to 20), within `budgetSats` including all fees and
 * postage. Throws CheckFailed if the budget does not cover a single listing, and the errors of `buy`.
 */
export async function sweep(
  trader: Trader,
  slug: string,
  options: {
    count: number
    budgetSats: number
    maxPriceSats?: number
    /** Inscriptions that may be bought; default: all listings of the collection. */
    eligibleIds?: ReadonlySet<string>
    /** Returns the coin of a listing. Default: the coin that the market reports; `coinByNode` proves it. */
    coinOf?: (listing: Listing) => InscriptionCoin | Promise<InscriptionCoin>
    coins: readonly (Outpoint & { valueSats: number })[]
  } & CostLimits,
): Promise<Answer<'submitPurchase'> & { costSats: number }> {
  const { client, wallet } = trader
  if (!(options.count >= 1 && options.count <= 20)) throw new RangeError('count must be from 1 to 20')
  const { listings } = await client.call('listListings', {
    query: { collectionSlug: slug, sort: 'price', limit: 100 },
  })
  const { maxPriceSats = Number.MAX_SAFE_INTEGER, coinOf = coinOfItem, eligibleIds } = options
  const candidates = listings
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
  const coinNames = new Set<string>()
  for (const listing of candidates) {
    if (items.length === options.count || pricesSats + listing.priceSats > options.budgetSats) break
    const { inscriptionId, listingId, priceSats } = listing
    const coin = await coinOf(listing)
    // The market may list a coin twice.
    if (coinNames.has(formatOutpoint(coin))) continue
    coinNames.add(formatOutpoint(coin))
    pricesSats += priceSats
    items.push({ inscriptionId, listingId, priceSats, coin })
  }
  // Fees and postage may exceed the budget. Drop the most expensive item until they do not.
  for (; items.length > 0; items.pop()) {
    const { coins, maxFeeBps, maxFeeSats = 0, maxNetworkSats, budgetSats: maxTotalSats } = options
    const agreement = { items, coins, maxFeeBps, maxFeeSats, maxNetworkSats, maxTotalSats }
    try {
      return await buy(trader, slug, agreement)
    } catch (error) {
      const isOverBudget =
        error instanceof OverBudget || (error instanceof ApiError && TOO_EXPENSIVE.has(error.code))
      if (!isOverBudget || items.length === 1) throw error
    }
  }
  const cheapest = candidates[0]
  throw new CheckFailed(
    cheapest
      ? `${options.budgetSats} sats do not cover the cheapest listing of ${slug}, ${cheapest.priceSats} sats plus fees`
      : `no listing of ${slug} is for sale${options.maxPriceSats === undefined ? '' : ` for ${maxPriceSats} sats or less`}`,
  )
}
