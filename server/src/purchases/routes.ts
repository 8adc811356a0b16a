import { operations } from '@ordbook/contract/index.ts'
import { forClient } from '../context.ts'
import { type Route, route } from '../http/operations.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { preflightPurchase, submitPurchase } from './buy.ts'

/** The buyer's side of the book. */
export function purchaseRoutes(context: SettlingContext): Route[] {
  return [
    route(operations.preflightPurchase, ({ params, body, session, signal }) =>
      preflightPurchase(forClient(context, signal), session, params.slug, body),
    ),
    route(operations.submitPurchase, ({ params, body, session }) =>
      submitPurchase(context, session, params.slug, body),
    ),
  ]
}
