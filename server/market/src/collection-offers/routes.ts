import { operations } from '@ordbook/contract/index.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import { forClient } from '@ordbook/indexer/context.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { cancelCollectionOffer } from './act.ts'
import { readBook, readOwnBook } from './browse.ts'
import { preflightFill, submitFill } from './fill.ts'
import { preflightCollectionOffers, submitCollectionOffers } from './make.ts'
import { previewReplacement, previewTarget } from './target.ts'

export function collectionOfferRoutes(context: SettlingContext): Route[] {
  return [
    route(operations.listCollectionOfferBook, ({ params }) => readBook(context, params.slug)),
    route(operations.listMySentCollectionOffers, ({ params, session }) =>
      readOwnBook(context, session, params.slug),
    ),
    route(operations.previewCollectionOfferTarget, ({ params, body }) =>
      previewTarget(context, params.slug, body),
    ),
    route(operations.previewCollectionOfferReplacementWarning, (call) =>
      previewReplacement(forClient(context, call.signal), call),
    ),
    route(operations.preflightCollectionWideOffer, (call) =>
      preflightCollectionOffers(forClient(context, call.signal), call),
    ),
    route(operations.submitCollectionWideOffer, (call) => submitCollectionOffers(context, call)),
    route(operations.cancelCollectionWideOffer, ({ params, body, session }) =>
      cancelCollectionOffer(context, session, params, body),
    ),
    route(operations.preflightCollectionOfferFill, (call) => preflightFill(context, call)),
    route(operations.submitCollectionOfferFill, (call) => submitFill(context, call)),
  ]
}
