import { operations } from '@ordbook/contract/index.ts'
import type { Context } from '../context.ts'
import { type Route, route } from '../http/operations.ts'
import { getOrder } from './order.ts'
import { getReceipt } from './receipt.ts'

/** What anybody may read without signing in. */
export function recordRoutes(context: Context): Route[] {
  return [
    route(operations.getOrder, ({ params }) => getOrder(context, params.listingId)),
    route(operations.getReceipt, ({ params }) => getReceipt(context, params.txid)),
  ]
}
