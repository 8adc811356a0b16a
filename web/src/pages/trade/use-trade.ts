import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { isDecided } from '@ordbook/web-ui/ticket/progress/steps.ts'
import { useState } from 'react'
import type { Acceptance, Trade } from './trade-turn.ts'

type Proposal = Answer<'getProposal'>

const POLL_MILLISECONDS = 20_000

/** States of an acceptance that decide what the page shows, most relevant first. */
const SHOWN_STATES: readonly Acceptance['state'][] = ['settled', 'accepted', 'active']
/** Ended by the proposer or by the market. */
const ENDED_STATES: readonly Acceptance['state'][] = ['rejected', 'invalidated']

/** Returns a trade with the viewer's acceptance and its transaction. */
export function useTrade(proposal: Proposal) {
  const { account } = useSession()
  const isProposer = account?.ordinalsAddress === proposal.creatorAddress
  const found = useRead(
    'listAcceptances',
    { query: { view: isProposer ? 'received' : 'sent', proposalId: proposal.id } },
    // No event announces that an acceptance was declined or has ended.
    { enabled: account != null, refetchInterval: POLL_MILLISECONDS },
  )
  const [chosenId, choose] = useState<string | null>(null)
  const all = found.data?.acceptances ?? []
  const shown = SHOWN_STATES.flatMap((state) => all.filter((each) => each.state === state))
  const active = shown.filter(({ state }) => state === 'active')
  const chosen = active.find(({ acceptanceId }) => acceptanceId === chosenId)
  const signed = shown[0]?.state === 'active' ? (chosen ?? shown[0]) : shown[0]
  const acceptance =
    signed ?? (isProposer ? undefined : all.find(({ state }) => ENDED_STATES.includes(state)))
  const isSent = signed !== undefined && signed.state !== 'active'
  const settlement = useRead(
    'getSettlement',
    { params: { txid: signed?.expectedSettlementTxid ?? '' } },
    { enabled: isSent, refetchInterval: POLL_MILLISECONDS, until: isDecided },
  )
  const viewer = isProposer ? 'proposer' : signed ? 'acceptor' : 'visitor'
  const trade: Trade = { proposal, viewer, acceptance, settlement: isSent ? settlement.data : undefined }
  return {
    trade,
    /** Acceptances that the proposer can complete. */
    active: isProposer ? active : [],
    choose,
    /** The read of acceptances, if the session is known and it has not finished. */
    pending: account === undefined || (account && !found.data) ? found : null,
  }
}
