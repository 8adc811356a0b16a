import { operations } from '@ordbook/contract/index.ts'
import type { Context } from '../context.ts'
import type { CursorCodec } from '../http/cursor.ts'
import { type Route, route } from '../http/operations.ts'
import { listProposals } from './feed.ts'

/** The public feed of peer-to-peer proposals. */
export function proposalRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [route(operations.listTradeProposals, ({ query }) => listProposals(context, cursors, query))]
}
