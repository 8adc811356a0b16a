import { operations } from '@ordbook/contract/index.ts'
import type { Context } from '../context.ts'
import type { CursorCodec } from '../http/cursor.ts'
import { type Route, route } from '../http/operations.ts'
import { browseEscrows } from './browse.ts'
import { preflightMove, submitMove } from './move.ts'
import { preflightReclaim, submitReclaim } from './reclaim.ts'
import { preflightRelist, submitRelist } from './relist.ts'

/** The operations of owners on inscriptions that rest in escrow. */
export function escrowRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [
    route(operations.listMyEscrows, ({ query, session }) => browseEscrows(context, cursors, session, query)),
    route(operations.preflightRelist, ({ body, session }) => preflightRelist(context, session, body)),
    route(operations.submitRelist, ({ body, session }) => submitRelist(context, session, body)),
    route(operations.preflightReclaim, ({ body, session }) => preflightReclaim(context, session, body)),
    route(operations.submitReclaim, ({ body, session }) => submitReclaim(context, session, body)),
    route(operations.preflightMove, ({ body, session }) => preflightMove(context, session, body)),
    route(operations.submitMove, ({ body, session }) => submitMove(context, session, body)),
  ]
}
