import { operations } from '@ordbook/contract/index.ts'
import { forClient } from '../context.ts'
import { type Route, route } from '../http/operations.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { cancelCollectionOffer } from './act.ts'
import { readBook, readOwnBook } from './browse.ts'
import { preflightFill, submitFill } from './fill.ts'
import { preflightCollectionOffers, submitCollectionOffers } from './make.ts'
import { previewReplacement, previewTarget } from './target.ts'

/** Offers on whole collections and traits. */
export function collectionOfferRoutes(context: SettlingContext): Route[] {
  return [
    route(operations.listCollectionOfferBook, ({ params }) => readBook(context, params.slug)),
    route(operations.listMySentCollectionOffers, ({ params, session }) =>
      readOwnBook(context, session, params.slug),
    ),
    route(operations.previewCollectionOfferTarget, ({ params, body }) =>
      previewTarget(context, params.slug, body),
    ),
    route(operations.previewCollectionOfferReplacementWarning, ({ params, body, session, signal }) =>
      previewReplacement(forClient(context, signal), session, params.slug, body),
    ),
    route(operations.preflightCollectionWideOffer, ({ params, body, session, signal }) =>
      preflightCollectionOffers(forClient(context, signal), session, params.slug, body),
    ),
    route(operations.submitCollectionWideOffer, ({ params, body, session }) =>
      submitCollectionOffers(context, session, params.slug, body),
    ),
    route(operations.cancelCollectionWideOffer, ({ params, body, session }) =>
      cancelCollectionOffer(context, session, params, body),
    ),
    route(operations.preflightCollectionOfferFill, ({ params, body, session }) =>
      preflightFill(context, session, params, body),
    ),
    route(operations.submitCollectionOfferFill, ({ params, body, session }) =>
      submitFill(context, session, params, body),
    ),
  ]
}
