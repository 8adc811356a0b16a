import { storefrontQuotes } from '@ordbook/contract/storefront.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import { forClient } from '@ordbook/indexer/context.ts'
import type { Context } from '@ordbook/market/context.ts'
import { quoteAcceptance } from './acceptance.ts'
import { quoteCollectionOffers } from './collection-offers.ts'
import { quoteCounter, quoteCounterAcceptance } from './counter.ts'
import { quoteFill } from './fill.ts'
import { quoteListing } from './listing.ts'
import { quoteOffers } from './offers.ts'
import { quoteProposal } from './proposal.ts'
import { quotePurchase } from './purchase.ts'
import { quoteSwap } from './swap.ts'

/** Quotes have the same terms as preflights, but reserve and write nothing. */
export function quoteRoutes(context: Context): Route[] {
  return [
    route(storefrontQuotes.quotePurchase, (call) => quotePurchase(forClient(context, call.signal), call)),
    route(storefrontQuotes.quoteListing, (call) => quoteListing(forClient(context, call.signal), call)),
    route(storefrontQuotes.quoteOffers, (call) => quoteOffers(forClient(context, call.signal), call)),
    route(storefrontQuotes.quoteOfferAcceptance, (call) =>
      quoteAcceptance(forClient(context, call.signal), call),
    ),
    route(storefrontQuotes.quoteCollectionOffers, (call) =>
      quoteCollectionOffers(forClient(context, call.signal), call),
    ),
    route(storefrontQuotes.quoteFill, (call) => quoteFill(forClient(context, call.signal), call)),
    route(storefrontQuotes.quoteCounter, (call) => quoteCounter(forClient(context, call.signal), call)),
    route(storefrontQuotes.quoteProposal, (call) => quoteProposal(forClient(context, call.signal), call)),
    route(storefrontQuotes.quoteAcceptance, (call) => quoteSwap(forClient(context, call.signal), call)),
    route(storefrontQuotes.quoteCounterAcceptance, (call) =>
      quoteCounterAcceptance(forClient(context, call.signal), call),
    ),
  ]
}
