import { storefrontReads } from '@ordbook/contract/storefront.ts'
import { sendExit as sendExitOperation } from '@ordbook/contract/web.ts'
import { contentUrlOf } from '../base-context.ts'
import { forClient } from '../chain/context.ts'
import type { Context } from '../context.ts'
import type { CursorCodec } from '../http/cursor.ts'
import { type Route, route } from '../http/operations.ts'
import { getActivitySummary } from './activity-summary.ts'
import { getCollectionAnalytics } from './analytics.ts'
import { listCarries } from './carries.ts'
import { browseCollections, getCollection, getCollectionHistory } from './collections.ts'
import { getDepth, listBestBids, listFittingItems } from './depth.ts'
import { sendExit } from './exit.ts'
import { getInscription, listActivity } from './inscription.ts'
import { browseItems, listFreshItems, listTraits } from './items.ts'
import { listItems } from './named-items.ts'
import { listOwnListings } from './own-listings.ts'
import { listOwnSales } from './own-sales.ts'
import { search } from './search.ts'
import { getSettlement } from './settlement.ts'
import { listItemValues } from './values.ts'
import { listCoins, listHoldings, listMatchingProposals } from './wallet.ts'

/** Reads of the storefront beside the API. */
export function storefrontRoutes(context: Context, cursors: CursorCodec): Route[] {
  const { config } = context
  const operations = storefrontReads
  return [
    route(operations.getMarket, async () => ({
      name: config.marketName,
      chain: config.chain,
      addressNetwork: config.addressNetwork,
      contentUrl: contentUrlOf(context),
      hasStills: config.previewSocket !== null,
      explorerUrl: config.explorerUrl?.replace(/\/+$/, '') ?? null,
      fiat: config.fiatPerBtc > 0 ? { currency: config.fiatCurrency, perBtc: config.fiatPerBtc } : null,
      fees: {
        sellerFeeBps: config.sellerFeeBps,
        buyerFeeBps: config.buyerFeeBps,
        fillFeeBps: config.fillFeeBps,
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
    route(operations.listOwnSales, (call) => listOwnSales(context, cursors, call)),
    route(operations.listItemValues, ({ query }) => listItemValues(context, query)),
    route(operations.listCoins, ({ session, query, signal }) =>
      listCoins(forClient(context, signal), session, query),
    ),
    route(sendExitOperation, ({ session, body }) => sendExit(context, session, body)),
    route(operations.search, ({ query }) => search(context, query)),
    route(operations.listMatchingProposals, ({ session }) => listMatchingProposals(context, session)),
  ]
}
