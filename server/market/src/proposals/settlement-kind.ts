import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { findFinalTime } from '@ordbook/indexer/inscriptions/queries.ts'
import { unlockListing } from '../listings/lock.ts'
import { deleteBacking } from '../settlements/backing-queries.ts'
import type { SettlementKind } from '../settlements/kinds.ts'
import { findUnsendable } from '../settlements/revocations.ts'
import { type AcceptanceRow, findAcceptanceBySettlement } from './acceptance-queries.ts'
import { dependentAcceptances, dependentProposals, endProposal, moveAcceptance } from './lifecycle.ts'
import { reopenProposal } from './own-queries.ts'
import { refreshProposals } from './queries.ts'

export const swapKind: SettlementKind = {
  name: 'swap',
  orders: [dependentAcceptances, dependentProposals],
  async revoked({ sql, signer, clock }, { settlementId }) {
    const { acceptanceId, proposalId, expiresAt } = await acceptanceOf(sql, settlementId)
    // An acceptance has the expiry of its proposal.
    const orders = [acceptanceId, proposalId].map((id) => ({ id, expiresAt }))
    return findUnsendable({ signer, clock }, orders)
  },
  async sent(tx, { settlementId }, now) {
    const { acceptanceId } = await acceptanceOf(tx, settlementId)
    await moveAcceptance(tx, acceptanceId, 'accepted', { reason: null, now })
  },
  async failed(tx, settlement, { failure, gone, revoked, now }) {
    const acceptance = await acceptanceOf(tx, settlement.settlementId)
    const { acceptanceId, proposalId, expiresAt } = acceptance
    const reason = `the settlement failed: ${failure}`
    const isProposalActive = await reopenProposal(tx, proposalId, settlement.settlementId, now)
    if (revoked.includes(proposalId)) await endProposal(tx, proposalId, 'cancelled', now)
    const canReopen =
      isProposalActive &&
      revoked.length === 0 &&
      gone.length === 0 &&
      expiresAt > (await findFinalTime(tx, now))
    if (!(canReopen && (await moveAcceptance(tx, acceptanceId, 'active', { reason: null, now }))))
      await moveAcceptance(tx, acceptanceId, 'invalidated', { reason, now })
    if (revoked.length > 0) await deleteBacking(tx, [acceptanceId])
    for (const id of settlement.inscriptionIds) await unlockListing(tx, id, { reason, now })
    await refreshProposals(tx, [proposalId])
    return null
  },
  // A swap has no price, so record no sale.
  async confirmed() {},
}

async function acceptanceOf(tx: Queryable, settlementId: string): Promise<AcceptanceRow> {
  return (await findAcceptanceBySettlement(tx, settlementId))!
}
