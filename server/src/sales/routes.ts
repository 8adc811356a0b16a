import { operations } from '@ordbook/contract/index.ts'
import type { Context } from '../context.ts'
import type { CursorCodec } from '../http/cursor.ts'
import { type Route, route } from '../http/operations.ts'
import { listSales } from './feed.ts'

/** The feed of sales. */
export function saleRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [route(operations.listSales, (call) => listSales(context, cursors, call))]
}
