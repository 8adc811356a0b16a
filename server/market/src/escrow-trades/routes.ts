import { operations } from '@ordbook/contract/index.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import type { Context } from '../context.ts'
import { browseEscrows } from './browse.ts'
import { preflightMove, submitMove } from './move.ts'
import { preflightReclaim, submitReclaim } from './reclaim.ts'
import { preflightRelist, submitRelist } from './relist.ts'

export function escrowRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [
    route(operations.listMyEscrows, (call) => browseEscrows(context, cursors, call)),
    route(operations.preflightRelist, (call) => preflightRelist(context, call)),
    route(operations.submitRelist, (call) => submitRelist(context, call)),
    route(operations.preflightReclaim, (call) => preflightReclaim(context, call)),
    route(operations.submitReclaim, (call) => submitReclaim(context, call)),
    route(operations.preflightMove, (call) => preflightMove(context, call)),
    route(operations.submitMove, (call) => submitMove(context, call)),
  ]
}
