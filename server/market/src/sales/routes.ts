import { operations } from '@ordbook/contract/index.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import type { Context } from '../context.ts'
import { listSales } from './feed.ts'

export function saleRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [route(operations.listSales, (call) => listSales(context, cursors, call))]
}
