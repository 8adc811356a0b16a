import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { Context } from '../context.ts'
import { MOVES, type OfferState } from '../offers/states.ts'
import { backedOrders } from '../settlements/backed-orders.ts'
import { deleteBacking } from '../settlements/backing-queries.ts'
import type { DependentOrders } from '../settlements/dependent-orders.ts'
import { isRevivable, listProposalsOf, lockActiveOfProposal } from './acceptance-queries.ts'
import { listExpiredProposals, listFinishedProposals, moveProposal } from './own-queries.ts'
import { refreshProposals } from './queries.ts'

const acceptances = backedOrders<OfferState>({ table: 'acceptances', moves: MOVES, isRevivable })

export const { move: moveAcceptance, end: endAcceptance, dependents: dependentAcceptances } = acceptances

/** Ends a proposal and its acceptances. Returns false if it was no longer active. */
export async function endProposal(
  tx: Transaction,
  proposalId: string,
  to: 'cancelled' | 'expired',
  now: Date,
): Promise<boolean> {
  if (!(await moveProposal(tx, proposalId, to, now))) return false
  await deleteBacking(tx, [proposalId])
  const reason = to === 'cancelled' ? 'the proposal was cancelled' : 'the proposal has expired'
  for (const id of await lockActiveOfProposal(tx, proposalId)) {
    await moveAcceptance(tx, id, 'invalidated', { reason, now })
    await deleteBacking(tx, [id])
  }
  return true
}

export async function expireProposals(context: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  const { sql, clock } = context
  await acceptances.expire(context)
  for (const { proposalId, expiresAt } of await listExpiredProposals(sql, clock()))
    await inTransaction(sql, (tx) => endProposal(tx, proposalId, 'expired', expiresAt))
}

/** Updates proposals when their payment coins are spent. */
export const dependentProposals: DependentOrders = {
  lockActive: listProposalsOf,
  listFinished: listFinishedProposals,
  end: (tx, proposalId) => refreshProposals(tx, [proposalId]),
  async revive(tx, id) {
    await refreshProposals(tx, await listProposalsOf(tx, [id]))
  },
}
