import type { Context } from '../context.ts'
import { inTransaction, type Transaction } from '../db/connect.ts'
import { MOVES, type OfferState } from '../offers/states.ts'
import { deleteBacking } from '../settlements/backing-queries.ts'
import type { DependentOrders } from '../settlements/dependent-orders.ts'
import {
  isRevivable,
  listExpiredAcceptances,
  listFinishedAcceptances,
  listProposalsOf,
  lockActiveAcceptances,
  lockActiveOfProposal,
  moveAcceptanceState,
} from './acceptance-queries.ts'
import { listExpiredProposals, listFinishedProposals, moveProposal } from './own-queries.ts'
import { refreshProposals } from './queries.ts'

/** Moves an acceptance and records the reason; false when its state did not allow the move: another transaction was faster. */
export async function moveAcceptance(
  tx: Transaction,
  acceptanceId: string,
  to: OfferState,
  { reason, now }: { reason: string | null; now: Date },
): Promise<boolean> {
  const live = to === 'active' || to === 'accepting'
  const moved = await moveAcceptanceState(tx, acceptanceId, MOVES[to], to, {
    reason,
    endedAt: live ? null : now,
  })
  // An acceptance that ended with its coins may come back with them.
  if (moved && !live && to !== 'invalidated') await deleteBacking(tx, [acceptanceId])
  return moved
}

/** Ends a proposal and its active acceptances; false when it was no longer active. */
export async function endProposal(
  tx: Transaction,
  proposalId: string,
  to: 'cancelled' | 'expired',
  now: Date,
): Promise<boolean> {
  if (!(await moveProposal(tx, proposalId, to, now))) return false
  await deleteBacking(tx, [proposalId])
  const reason = to === 'cancelled' ? 'the proposal was taken back' : 'the time of the proposal is over'
  for (const id of await lockActiveOfProposal(tx, proposalId)) {
    await moveAcceptance(tx, id, 'invalidated', { reason, now })
    await deleteBacking(tx, [id])
  }
  return true
}

/** Ends proposals and acceptances that have expired. */
export async function expireProposals({ sql, clock }: Pick<Context, 'sql' | 'clock'>): Promise<void> {
  for (const { acceptanceId, expiresAt } of await listExpiredAcceptances(sql, clock()))
    await inTransaction(sql, (tx) =>
      moveAcceptance(tx, acceptanceId, 'expired', { reason: 'its time is over', now: expiresAt }),
    )
  for (const { proposalId, expiresAt } of await listExpiredProposals(sql, clock()))
    await inTransaction(sql, (tx) => endProposal(tx, proposalId, 'expired', expiresAt))
}

/** An acceptance ends when its coin is spent, and comes back with it. */
export const dependentAcceptances: DependentOrders = {
  lockActive: lockActiveAcceptances,
  listFinished: listFinishedAcceptances,
  end: (tx, acceptanceId, why) => moveAcceptance(tx, acceptanceId, 'invalidated', why),
  async revive(tx, acceptanceId, now) {
    if (await isRevivable(tx, acceptanceId, now))
      await moveAcceptance(tx, acceptanceId, 'active', { reason: null, now })
  },
}

/** A proposal whose payment coin is spent is unavailable until the coin comes back. */
export const dependentProposals: DependentOrders = {
  lockActive: listProposalsOf,
  listFinished: listFinishedProposals,
  end: (tx, proposalId) => refreshProposals(tx, [proposalId]),
  async revive(tx, id) {
    await refreshProposals(tx, await listProposalsOf(tx, [id]))
  },
}
