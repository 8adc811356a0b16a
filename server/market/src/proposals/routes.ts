import { operations } from '@ordbook/contract/index.ts'
import { webOperations } from '@ordbook/contract/web.ts'
import type { CursorCodec } from '@ordbook/http/operations/cursor.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import { forClient } from '@ordbook/indexer/context.ts'
import type { Context } from '../context.ts'
import type { SettlingContext } from '../settlements/kinds.ts'
import { preflightAcceptance, submitAcceptance } from './accept.ts'
import { endAcceptanceOf, listAcceptances } from './acceptances.ts'
import { listProposals } from './feed.ts'
import { cancelProposal, createProposal, getProposal, listOwnProposals } from './own.ts'
import { preflightSettlement, submitSettlement } from './settle.ts'

export function proposalRoutes(context: Context, cursors: CursorCodec): Route[] {
  return [route(operations.listTradeProposals, (call) => listProposals(context, cursors, call))]
}

export function webProposalRoutes(context: SettlingContext, cursors: CursorCodec): Route[] {
  return [
    route(webOperations.listOwnProposals, (call) => listOwnProposals(context, cursors, call)),
    route(webOperations.createProposal, (call) => createProposal(context, call)),
    route(webOperations.cancelProposal, (call) => cancelProposal(context, call)),
    route(webOperations.getProposal, ({ params }) => getProposal(context, params.proposalId)),
    route(webOperations.preflightAcceptance, (call) =>
      preflightAcceptance(forClient(context, call.signal), call),
    ),
    route(webOperations.submitAcceptance, (call) => submitAcceptance(context, call)),
    route(webOperations.listAcceptances, (call) => listAcceptances(context, cursors, call)),
    route(webOperations.cancelAcceptance, ({ session, params }) =>
      endAcceptanceOf(context, session, params.acceptanceId, 'cancelled'),
    ),
    route(webOperations.rejectAcceptance, ({ session, params }) =>
      endAcceptanceOf(context, session, params.acceptanceId, 'rejected'),
    ),
    route(webOperations.preflightSettlement, (call) => preflightSettlement(context, call)),
    route(webOperations.submitSettlement, (call) => submitSettlement(context, call)),
  ]
}
