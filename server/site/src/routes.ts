import { markInboxRead as markInboxReadOperation } from '@ordbook/contract/storefront/inbox.ts'
import { storefrontReads } from '@ordbook/contract/storefront.ts'
import { sendExit as sendExitOperation, sendSplit as sendSplitOperation } from '@ordbook/contract/web.ts'
import { contentUrlOf } from '@ordbook/db/context.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import { forClient } from '@ordbook/indexer/context.ts'
import { listOwnBids } from '@ordbook/market/collection-offers/browse.ts'
import type { Context } from '@ordbook/market/context.ts'
import { getCollectionAnalytics, getPriceHistogram } from './collections/analytics.ts'
import { browseCollections, getCollection, getCollectionHistory } from './collections/collections.ts'
import { getDepth, listBestBids, listFittingItems } from './depth/depth.ts'
import { fiatOf } from './fiat/fiat.ts'
import { getInboxCounts, listInbox, listWaiting, markInboxRead } from './inbox/inbox.ts'
import { getActivitySummary } from './inscription/activity-summary.ts'
import { getInscription, listActivity } from './inscription/inscription.ts'
import { browseItems, listFreshItems, listTraits } from './items/items.ts'
import { listItems } from './items/named-items.ts'
import { listCarries } from './items/other-contents.ts'
import { search } from './search/search.ts'
import { listOwnListings } from './wallet/own-listings.ts'
import { listOwnSales } from './wallet/own-sales.ts'
import { sendExit, sendSplit } from './wallet/own-transactions.ts'
import { getPortfolioValue } from './wallet/portfolio.ts'
import { getSettlement } from './wallet/settlement.ts'
import { listItemValues } from './wallet/values.ts'
import { listCoins, listHoldings, listMatchingProposals } from './wallet/wallet.ts'

export function storefrontRoutes(context: Context, cursors: CursorCodec): Route[] {
  const { config } = context
  const operations = storefrontReads
  const fiat = fiatOf(context)
  return [
    route(operations.getMarket, async () => ({
      name: config.marketName,
      chain: config.chain,
      addressNetwork: config.addressNetwork,
      contentUrl: contentUrlOf(context),
      hasThumbnails: config.previewSocket !== null,
      explorerUrl: config.explorerUrl?.replace(/\/+$/, '') ?? null,
      fiat: await fiat(),
      fees: {
        sellerFeeBps: config.sellerFeeBps,
        buyerFeeBps: config.buyerFeeBps,
        fillFeeBps: config.fillFeeBps,
        feeMinSats: config.feeMinSats,
        proposalFeeSats: config.proposalFeeSats,
      },
      listingMinSats: config.listingMinSats,
      testWallets: config.testWallets === 'on',
    })),
    route(operations.browseCollections, (call) => browseCollections(context, cursors, call)),
    route(operations.getCollection, ({ params }) => getCollection(context, params.slug)),
    route(operations.browseItems, (call) => browseItems(context, cursors, call)),
    route(operations.listFreshItems, ({ query }) => listFreshItems(context, query)),
    route(operations.listTraits, ({ params, query }) => listTraits(context, params.slug, query)),
    route(operations.getCollectionHistory, ({ params, query }) =>
      getCollectionHistory(context, params.slug, query),
    ),
    route(operations.getCollectionAnalytics, ({ params }) => getCollectionAnalytics(context, params.slug)),
    route(operations.getPriceHistogram, ({ params }) => getPriceHistogram(context, params.slug)),
    route(operations.listActivity, (call) => listActivity(context, cursors, call)),
    route(operations.getActivitySummary, () => getActivitySummary(context)),
    route(operations.getInscription, ({ params }) => getInscription(context, params.id)),
    route(operations.getSettlement, ({ params }) => getSettlement(context, params.txid)),
    route(operations.listItems, ({ query }) => listItems(context, query)),
    route(operations.listCarries, ({ query, signal }) => listCarries(forClient(context, signal), query)),
    route(operations.getDepth, ({ params, query }) => getDepth(context, params.slug, query)),
    route(operations.listBestBids, ({ session, query, signal }) =>
      listBestBids(forClient(context, signal), session, query),
    ),
    route(operations.listFittingItems, (call) => listFittingItems(context, cursors, call)),
    route(operations.listHoldings, (call) => listHoldings(context, cursors, call)),
    route(operations.listOwnListings, (call) => listOwnListings(context, cursors, call)),
    route(operations.listInbox, (call) => listInbox(context, cursors, call)),
    route(operations.getInboxCounts, ({ session }) => getInboxCounts(context, session)),
    route(operations.listWaiting, ({ session }) => listWaiting(context, session)),
    route(markInboxReadOperation, ({ session, body }) => markInboxRead(context, session, body)),
    route(operations.listOwnBids, ({ session }) => listOwnBids(context, session)),
    route(operations.listOwnSales, (call) => listOwnSales(context, cursors, call)),
    route(operations.listItemValues, ({ query }) => listItemValues(context, query)),
    route(operations.getPortfolioValue, ({ session, query }) => getPortfolioValue(context, session, query)),
    route(operations.listCoins, ({ session, query, signal }) =>
      listCoins(forClient(context, signal), session, query),
    ),
    route(sendExitOperation, ({ session, body }) => sendExit(context, session, body)),
    route(sendSplitOperation, ({ session, body }) => sendSplit(context, session, body)),
    route(operations.search, ({ query }) => search(context, query)),
    route(operations.listMatchingProposals, ({ session }) => listMatchingProposals(context, session)),
  ]
}
