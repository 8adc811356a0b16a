import { operations } from '@ordbook/contract/index.ts'
import { forClient } from '../chain/context.ts'
import { type Route, route } from '../http/operations.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { preflightPurchase, submitPurchase } from './buy.ts'

/** The buyer's side of the book. */
export function purchaseRoutes(context: SettlingContext): Route[] {
  return [
    route(operations.preflightPurchase, (call) => preflightPurchase(forClient(context, call.signal), call)),
    route(operations.submitPurchase, (call) => submitPurchase(context, call)),
  ]
}
