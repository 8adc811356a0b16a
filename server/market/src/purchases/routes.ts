import { operations } from '@ordbook/contract/index.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import { forClient } from '@ordbook/indexer/context.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { preflightPurchase, submitPurchase } from './buy.ts'

export function purchaseRoutes(context: SettlingContext): Route[] {
  return [
    route(operations.preflightPurchase, (call) => preflightPurchase(forClient(context, call.signal), call)),
    route(operations.submitPurchase, (call) => submitPurchase(context, call)),
  ]
}
