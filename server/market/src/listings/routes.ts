import { operations } from '@ordbook/contract/index.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import type { Context } from '../context.ts'
import { browseListings } from './browse.ts'
import { preflightListing, submitListing } from './create.ts'
import { delistListing } from './delist.ts'

export function listingRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [
    route(operations.listListings, (call) => browseListings(context, cursors, call)),
    route(operations.preflightListing, (call) => preflightListing(context, call)),
    route(operations.submitListing, (call) => submitListing(context, call)),
    route(operations.delistListing, (call) => delistListing(context, call), {
      // Guarantee at response time, and links to the order status.
      headers: ({ listings }) => ({
        'ordbook-guarantee': 'refused',
        link: listings
          .map(({ listingId }) => `<${context.publicUrl}/orders/${listingId}>; rel="monitor"`)
          .join(', '),
      }),
    }),
  ]
}
