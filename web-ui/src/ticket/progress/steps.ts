import type { Answer } from '@ordbook/sdk/operations.ts'
import { progress as words } from '../../strings/progress.ts'
import type { Step as At, Ticket } from './machine.ts'

export interface ShownStep {
  label: string
  state: 'waiting' | 'now' | 'done' | 'failed'
  at?: string
  detail?: string
}

type Settlement = Pick<Answer<'getSettlement'>, 'state' | 'blockHeight' | 'confirmations'>

/** Confirmations after which a reorg is no longer expected. */
const FINAL_CONFIRMATIONS = 6

/** Returns true if the state of a trade is final. */
export const isDecided = ({ state, confirmations }: Settlement): boolean =>
  state === 'failed' || (state === 'confirmed' && confirmations >= FINAL_CONFIRMATIONS)

const ORDER = ['check', 'sign', 'send'] as const

/** Steps before the transaction is broadcast. */
const firstSteps = (
  stateOf: (at: At['at']) => ShownStep['state'],
  { step, settles, windows }: { step: At | null; settles: boolean; windows?: number | undefined },
): ShownStep[] => [
  { label: words.check, state: stateOf('check') },
  {
    label: words.sign(step?.at === 'sign' ? step.wallet : words.wallet),
    state: stateOf('sign'),
    ...(step?.at === 'sign' && (step.of === 1 || step.signed > 0)
      ? { at: words.signed(Math.min(step.signed + 1, step.of), step.of) }
      : {}),
    ...(step?.at === 'sign' ? { detail: words.signWait(step.of, windows) } : {}),
  },
  { label: settles ? words.send : words.save, state: stateOf('send') },
]

const CHAIN: readonly ShownStep[] = [
  { label: words.mempool, state: 'waiting', detail: words.mempoolWait },
  { label: words.confirmed(null), state: 'waiting', detail: words.confirmWait },
]

export function stepsOfTicket({ phase, step, failure, about }: Ticket): ShownStep[] {
  const settles = about?.settles ?? false
  const now = ORDER.indexOf(step?.at ?? 'check')
  const stateOf = (at: At['at']) => {
    const place = ORDER.indexOf(at)
    if (place !== now) return place < now ? 'done' : 'waiting'
    return phase === 'running' ? 'now' : 'failed'
  }
  const steps = [...firstSteps(stateOf, { step, settles }), ...(settles ? CHAIN : [])]
  return steps.map((step) => (step.state === 'failed' && failure ? { ...step, detail: failure } : step))
}

/** `windows`: wallet windows that open, if known. */
export const stepsOfReview = (
  wallet: string | null,
  count: number,
  settles: boolean,
  windows?: number,
): ShownStep[] => [
  ...firstSteps((at) => (at === 'check' ? 'done' : at === 'sign' ? 'now' : 'waiting'), {
    step: { at: 'sign', wallet: wallet ?? words.wallet, signed: 0, of: count },
    settles,
    windows,
  }),
  ...(settles ? CHAIN : []),
]

/** Steps after the transaction was sent. */
export function stepsOfSent(settlement: Settlement | undefined): ShownStep[] {
  const first = firstSteps(() => 'done', { step: null, settles: true })
  const { state, blockHeight, confirmations } = settlement ?? {
    state: 'sending',
    blockHeight: null,
    confirmations: 0,
  }
  const mempool: ShownStep = { label: words.mempool, state: 'done' }
  const confirmed: ShownStep = {
    label: words.confirmed(blockHeight),
    state: 'waiting',
    detail: words.confirmWait,
  }
  if (state === 'sending')
    return [...first, { ...mempool, state: 'now', detail: words.mempoolWait }, confirmed]
  if (state === 'mempool') return [...first, mempool, { ...confirmed, state: 'now' }]
  if (state === 'failed')
    return [...first, mempool, { label: words.confirmed(null), state: 'failed', detail: words.notConfirmed }]
  return [
    ...first,
    mempool,
    { label: words.confirmed(blockHeight), state: 'done', detail: words.confirmations(confirmations) },
  ]
}
