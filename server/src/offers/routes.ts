import { operations } from '@ordbook/contract/index.ts'
import { forClient } from '../context.ts'
import type { CursorCodec } from '../http/cursor.ts'
import { type Route, route } from '../http/operations.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { preflightAcceptance, submitAcceptance } from './accept.ts'
import { preflightCounterAcceptance, submitCounterAcceptance } from './accept-counter.ts'
import { cancelOffer, rejectCounter, rejectOffer } from './act.ts'
import { listOfferHistory, listOffers } from './browse.ts'
import { preflightCounter, submitCounter } from './counter.ts'
import { declineBids } from './decline-bids.ts'
import { preflightOffers, submitOffers } from './make.ts'
import { listMyOffers } from './mine.ts'

/** Offers on one inscription, and counters. */
export function offerRoutes(context: SettlingContext, cursors: CursorCodec): Route[] {
  const at = ({ id, offerId }: { id: string; offerId: string }) => ({ inscriptionId: id, offerId })
  return [
    route(operations.listMyOffers, ({ query, session }) => listMyOffers(context, session, cursors, query)),
    route(operations.listInscriptionOffers, ({ params, session }) => listOffers(context, session, params.id)),
    route(operations.listInscriptionOfferHistory, ({ params, query, session }) =>
      listOfferHistory(context, session, params.id, query.page ?? 0),
    ),
    route(operations.preflightCollectionOffer, ({ params, body, session, signal }) =>
      preflightOffers(forClient(context, signal), session, params.slug, body),
    ),
    route(operations.submitCollectionOffer, ({ params, body, session }) =>
      submitOffers(context, session, params.slug, body),
    ),
    route(operations.cancelOffer, ({ params, body, session }) =>
      cancelOffer(context, { ...at(params), ...body, session }),
    ),
    route(operations.rejectOffer, ({ params, body, session }) =>
      rejectOffer(context, { ...at(params), ...body, session }),
    ),
    route(operations.declineBids, ({ params, body, session }) =>
      declineBids(context, session, params.id, body),
    ),
    route(operations.rejectCounterOffer, ({ params, body, session }) =>
      rejectCounter(context, { ...at(params), ...body, session }),
    ),
    route(operations.preflightOfferAcceptance, ({ params, body, session }) =>
      preflightAcceptance(context, session, at(params), body),
    ),
    route(operations.submitOfferAcceptance, ({ params, body, session }) =>
      submitAcceptance(context, session, at(params), body),
    ),
    route(operations.preflightCounterOffer, ({ params, body, session }) =>
      preflightCounter(context, session, at(params), body),
    ),
    route(operations.submitCounterOffer, ({ params, body, session }) =>
      submitCounter(context, session, at(params), body),
    ),
    route(operations.preflightCounterOfferAcceptance, ({ params, body, session, signal }) =>
      preflightCounterAcceptance(forClient(context, signal), session, at(params), body),
    ),
    route(operations.submitCounterOfferAcceptance, ({ params, body, session }) =>
      submitCounterAcceptance(context, session, at(params), body),
    ),
  ]
}
