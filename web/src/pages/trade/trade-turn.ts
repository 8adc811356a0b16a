import type { Answer } from '@ordbook/sdk/operations.ts'
import { ago, fullTime, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { swapTurn as words } from '@ordbook/web-ui/strings/swap-turn.ts'
import type { ShownStep } from '@ordbook/web-ui/ticket/progress/steps.ts'
import type { Tone } from '../parts/turn-line.tsx'

type Proposal = Answer<'getProposal'>
export type Acceptance = Answer<'listAcceptances'>['acceptances'][number]
type Settlement = Answer<'getSettlement'>

/** The visitor: the proposer of a trade, one of its acceptors, or neither. */
export type Viewer = 'proposer' | 'acceptor' | 'visitor'

/** A trade as its page knows it. */
export interface Trade {
  proposal: Proposal
  viewer: Viewer
  /** The viewer's latest acceptance, or the one that the proposer looks at. */
  acceptance: Acceptance | undefined
  /** The transaction, once both sides have signed. */
  settlement: Settlement | undefined
}

export type Stage = 'open' | 'accepted' | 'sending' | 'mempool' | 'confirmed' | 'over'

/** Returns how far a trade is. */
export function stageOf({ proposal, acceptance, settlement }: Omit<Trade, 'viewer'>): Stage {
  if (acceptance?.state === 'settled') return 'confirmed'
  if (acceptance?.state === 'accepted') {
    const { state } = settlement ?? {}
    return state === 'mempool' || state === 'confirmed' ? state : 'sending'
  }
  if (proposal.state !== 'active') return 'over'
  return acceptance?.state === 'active' ? 'accepted' : 'open'
}

/** Status of a trade for the viewer, with the next step. */
export interface TradeTurn {
  tone: Tone
  title: string
  text: string
  until: string | null
  steps: ShownStep[]
}

export function tradeTurnOf(trade: Trade): TradeTurn {
  const stage = stageOf(trade)
  return { ...statusOf(trade, stage), steps: stepsOf(trade, stage) }
}

function statusOf(trade: Trade, stage: Stage): Omit<TradeTurn, 'steps'> {
  const { proposal, viewer, acceptance } = trade
  switch (stage) {
    case 'open':
      return openStatus(trade)
    case 'accepted': {
      const { createdAt, expiresAt, acceptorAddress } = acceptance!
      const at = ago(createdAt)
      return viewer === 'proposer'
        ? {
            tone: 'turn',
            title: words.yourTurn,
            text: words.signLast(shortAddress(acceptorAddress), at, fullTime(expiresAt)),
            until: expiresAt,
          }
        : {
            tone: 'waiting',
            title: words.waitingFor(shortAddress(proposal.creatorAddress)),
            text: words.youSigned(at),
            until: expiresAt,
          }
    }
    case 'sending':
    case 'mempool':
      return { tone: 'nothing', title: words.confirming, text: words.bothSigned, until: null }
    case 'confirmed':
      return { tone: 'nothing', title: words.completed, text: words.bothMoved, until: null }
    case 'over': {
      const [title, text] = words.over[proposal.state as keyof typeof words.over]
      return { tone: 'nothing', title, text, until: null }
    }
  }
}

function openStatus({ proposal, viewer, acceptance }: Trade): Omit<TradeTurn, 'steps'> {
  const until = proposal.expiresAt
  if (!proposal.available) return { tone: 'nothing', title: words.onHold, text: words.onHoldText, until }
  if (viewer === 'proposer')
    return { tone: 'waiting', title: words.waitingForAnyone, text: words.nothingLocked, until }
  // An acceptance that ended: the trade can be accepted again.
  const text = acceptance?.reason ? words.ended(acceptance.reason) : words.acceptText
  return { tone: 'waiting', title: words.acceptable, text, until }
}

const ORDER: readonly Stage[] = ['open', 'accepted', 'sending', 'mempool', 'confirmed']

/** The five steps from the proposal to the receipt. Empty if others complete the trade. */
function stepsOf({ proposal, viewer, acceptance, settlement }: Trade, stage: Stage): ShownStep[] {
  if (stage === 'over' && proposal.state === 'accepted') return []
  const isSigned = acceptance !== undefined && stage !== 'open' && stage !== 'over'
  /** Number of the current step. In `sending`, the transaction is on its way to the mempool. */
  const now = { open: 1, accepted: 2, sending: 3, mempool: 4, confirmed: 5, over: 1 }[stage]
  const stateAt = (n: number): ShownStep['state'] => {
    if (stage === 'over') return n === 0 ? 'done' : n === 1 ? 'failed' : 'waiting'
    return n < now ? 'done' : n === now ? 'now' : 'waiting'
  }
  const isMine = (side: Viewer) => viewer === side
  const proposed = words.by(isMine('proposer'), ago(proposal.createdAt))
  const accepted = isSigned ? words.by(isMine('acceptor'), ago(acceptance.createdAt)) : words.signsFirst
  return [
    { label: words.steps.proposed, state: stateAt(0), detail: proposed },
    { label: words.steps.accepted, state: stateAt(1), detail: accepted },
    {
      label: isMine('proposer') ? words.steps.youComplete : words.steps.theyComplete,
      state: stateAt(2),
      detail: words.signsLast,
    },
    { label: words.steps.mempool, state: stateAt(3), detail: words.underAMinute },
    {
      label: words.steps.confirmed,
      state: stateAt(4),
      detail:
        stage === 'confirmed' && settlement?.blockHeight
          ? words.block(settlement.blockHeight)
          : words.tenMinutes,
    },
  ]
}

/** Whether both sides have signed. */
export const isSent = (stage: Stage): boolean => ORDER.indexOf(stage) >= ORDER.indexOf('sending')
