import { operations } from '@ordbook/contract/index.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import { forClient } from '@ordbook/indexer/context.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { preflightAcceptance, submitAcceptance } from './accept.ts'
import { preflightCounterAcceptance, submitCounterAcceptance } from './accept-counter.ts'
import { cancelOffer, offerPathOf, rejectCounter, rejectOffer } from './act.ts'
import { listOfferHistory, listOffers } from './browse.ts'
import { preflightCounter, submitCounter } from './counter.ts'
import { declineBids } from './decline-bids.ts'
import { preflightOffers, submitOffers } from './make.ts'
import { listMyOffers } from './mine.ts'

export function offerRoutes(context: SettlingContext, cursors: CursorCodec): Route[] {
  return [
    route(operations.listMyOffers, (call) => listMyOffers(context, cursors, call)),
    route(operations.listInscriptionOffers, ({ params, session }) => listOffers(context, session, params.id)),
    route(operations.listInscriptionOfferHistory, ({ params, query, session }) =>
      listOfferHistory(context, session, params.id, query.page ?? 0),
    ),
    route(operations.preflightCollectionOffer, (call) =>
      preflightOffers(forClient(context, call.signal), call),
    ),
    route(operations.submitCollectionOffer, (call) => submitOffers(context, call)),
    route(operations.cancelOffer, ({ params, body, session }) =>
      cancelOffer(context, { ...offerPathOf(params), ...body, session }),
    ),
    route(operations.rejectOffer, ({ params, body, session }) =>
      rejectOffer(context, { ...offerPathOf(params), ...body, session }),
    ),
    route(operations.declineBids, ({ params, body, session }) =>
      declineBids(context, session, params.id, body),
    ),
    route(operations.rejectCounterOffer, ({ params, body, session }) =>
      rejectCounter(context, { ...offerPathOf(params), ...body, session }),
    ),
    route(operations.preflightOfferAcceptance, (call) => preflightAcceptance(context, call)),
    route(operations.submitOfferAcceptance, (call) => submitAcceptance(context, call)),
    route(operations.preflightCounterOffer, (call) => preflightCounter(context, call)),
    route(operations.submitCounterOffer, (call) => submitCounter(context, call)),
    route(operations.preflightCounterOfferAcceptance, (call) =>
      preflightCounterAcceptance(forClient(context, call.signal), call),
    ),
    route(operations.submitCounterOfferAcceptance, (call) => submitCounterAcceptance(context, call)),
  ]
}
