import {
  browseCollections,
  browseItems,
  getCollection,
  getCollectionAnalytics,
  getCollectionHistory,
  getPriceHistogram,
  listFreshItems,
  listTraits,
} from './storefront/collections.ts'
import { getDepth, listBestBids, listFittingItems } from './storefront/depth.ts'
import { getInboxCounts, listInbox, listWaiting } from './storefront/inbox.ts'
import { getInscription, listCarries, listItems } from './storefront/inscriptions.ts'
import { getActivitySummary, getMarket, listActivity } from './storefront/market.ts'
import {
  quoteAcceptance,
  quoteCollectionOffers,
  quoteCounterAcceptance,
  quoteOffers,
  quoteProposal,
  quotePurchase,
} from './storefront/quotes.ts'
import { search } from './storefront/search.ts'
import { quoteCounter, quoteFill, quoteListing, quoteOfferAcceptance } from './storefront/seller-quotes.ts'
import { getSettlement } from './storefront/settlement.ts'
import { getPortfolioValue, listItemValues, listOwnSales } from './storefront/values.ts'
import {
  listCoins,
  listHoldings,
  listMatchingProposals,
  listOwnBids,
  listOwnListings,
} from './storefront/wallet.ts'

/** Storefront-only reads by id. */
export const storefrontReads = {
  getMarket,
  browseCollections,
  getCollection,
  browseItems,
  listTraits,
  listFreshItems,
  getCollectionHistory,
  getCollectionAnalytics,
  getPriceHistogram,
  listActivity,
  getActivitySummary,
  getInscription,
  getSettlement,
  listItems,
  listCarries,
  getDepth,
  listBestBids,
  listFittingItems,
  listHoldings,
  listOwnListings,
  listOwnBids,
  listInbox,
  getInboxCounts,
  listWaiting,
  listOwnSales,
  listItemValues,
  getPortfolioValue,
  listCoins,
  search,
  listMatchingProposals,
}

/** Quotes by id. No session required. */
export const storefrontQuotes = {
  quotePurchase,
  quoteListing,
  quoteOffers,
  quoteOfferAcceptance,
  quoteCollectionOffers,
  quoteFill,
  quoteCounter,
  quoteCounterAcceptance,
  quoteAcceptance,
  quoteProposal,
}
