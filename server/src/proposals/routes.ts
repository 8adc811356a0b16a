import { operations } from '@ordbook/contract/index.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import type { Context } from '../context.ts'
import type { CursorCodec } from '../http/cursor.ts'
import { type Route, route } from '../http/operations.ts'
import { listProposals } from './feed.ts'
import { cancelProposal, createProposal, listOwnProposals } from './own.ts'

/** The public feed of peer-to-peer proposals. */
export function proposalRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [route(operations.listTradeProposals, ({ query }) => listProposals(context, cursors, query))]
}

/** What the storefront does with them. */
export function webProposalRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [
    route(webOperations.listOwnProposals, ({ session, query }) =>
      listOwnProposals(context, session, cursors, query),
    ),
    route(webOperations.createProposal, ({ session, body }) => createProposal(context, session, body)),
    route(webOperations.cancelProposal, ({ session, params }) =>
      cancelProposal(context, session, params.proposalId),
    ),
  ]
}
