import type { Answer } from '@ordbook/sdk/operations.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { turn as words } from '@ordbook/web-ui/strings/inbox.ts'
import type { Tone } from '../parts/turn-line.tsx'

type Proposal = Answer<'getProposal'>
export type Acceptance = Answer<'listAcceptances'>['acceptances'][number]

/** Status and next step of a proposal, for the visitor. */
export interface TradeTurn {
  tone: Tone
  text: string
  until: string | null
  note?: string
  /** The settlement, once confirmed. */
  receiptTxid?: string
}

/** Returns the status of a proposal. `acceptance`: the visitor's latest open or completed acceptance, on either side. */
export function tradeTurnOf(
  proposal: Proposal,
  isCreator: boolean,
  acceptance: Acceptance | undefined,
): TradeTurn {
  if (acceptance?.state === 'settled')
    return {
      tone: 'done',
      text: words.completed,
      until: null,
      receiptTxid: acceptance.expectedSettlementTxid,
    }
  if (acceptance?.state === 'accepted')
    return { tone: 'nothing', text: words.settling, until: null, note: words.aboutTenMinutes }
  if (proposal.state !== 'active') return { tone: 'nothing', text: words.over[proposal.state], until: null }
  if (acceptance?.state === 'active')
    return isCreator
      ? { tone: 'turn', text: words.title.acceptance, until: acceptance.expiresAt }
      : {
          tone: 'waiting',
          text: words.waitingFor(shortAddress(proposal.creatorAddress)),
          until: acceptance.expiresAt,
        }
  if (!proposal.available) return { tone: 'nothing', text: words.onHold, until: proposal.expiresAt }
  return { tone: 'waiting', text: isCreator ? words.open : words.acceptable, until: proposal.expiresAt }
}
