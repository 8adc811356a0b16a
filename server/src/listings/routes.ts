import { operations } from '@ordbook/contract/index.ts'
import type { Context } from '../context.ts'
import type { CursorCodec } from '../http/cursor.ts'
import { type Route, route } from '../http/operations.ts'
import { browseListings } from './browse.ts'
import { preflightListing, submitListing } from './create.ts'
import { delistListing } from './delist.ts'

/** The order book, and its seller's side. */
export function listingRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [
    route(operations.listListings, ({ query }) => browseListings(context, cursors, query)),
    route(operations.preflightListing, ({ params, body, session }) =>
      preflightListing(context, session, params.slug, body),
    ),
    route(operations.submitListing, ({ params, body, session }) =>
      submitListing(context, session, params.slug, body),
    ),
    route(
      operations.delistListing,
      ({ params, body, session }) => delistListing(context, session, params.slug, body),
      {
        // Facts that hold from this answer on, and where the client can see later ones.
        headers: ({ listings }) => ({
          'ordbook-guarantee': 'refused',
          link: listings
            .map((each) => `<${context.publicUrl}/orders/${each.listingId}>; rel="monitor"`)
            .join(', '),
        }),
      },
    ),
  ]
}
