import { expect, it } from 'vitest'
import { type Acceptance, isSent, stageOf, type Trade, tradeTurnOf, type Viewer } from './trade-turn.ts'

const proposal = {
  state: 'active',
  available: true,
  creatorAddress: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
  createdAt: '2026-05-10T00:00:00Z',
  expiresAt: '2026-05-17T00:00:00Z',
} as Trade['proposal']
const acceptance = (state: Acceptance['state'], reason: string | null = null) =>
  ({
    state,
    reason,
    acceptorAddress: 'bc1pacceptoracceptoracceptoracceptor',
    createdAt: '2026-05-11T00:00:00Z',
    expiresAt: '2026-05-15T00:00:00Z',
  }) as Acceptance
const settlement = (state: 'sending' | 'mempool' | 'confirmed' | 'failed') =>
  ({ state, blockHeight: state === 'confirmed' ? 871_206 : null }) as NonNullable<Trade['settlement']>

interface Case {
  viewer: Viewer
  state?: Trade['proposal']['state']
  accepted?: Acceptance
  settled?: Parameters<typeof settlement>[0]
  available?: boolean
}
const tradeOf = ({ viewer, state = 'active', accepted, settled, available = true }: Case): Trade => ({
  proposal: { ...proposal, state, available },
  viewer,
  acceptance: accepted,
  settlement: settled && settlement(settled),
})

it.each<[Case, stage: string, tone: string, title: RegExp, now: string]>([
  [{ viewer: 'proposer' }, 'open', 'waiting', /^Waiting for someone to accept/, 'Accepted'],
  [{ viewer: 'visitor' }, 'open', 'waiting', /^Open: you can accept/, 'Accepted'],
  [{ viewer: 'visitor', available: false }, 'open', 'nothing', /^On hold/, 'Accepted'],
  [
    { viewer: 'proposer', accepted: acceptance('active') },
    'accepted',
    'turn',
    /^Your turn: complete the trade/,
    'You complete',
  ],
  [
    { viewer: 'acceptor', accepted: acceptance('active') },
    'accepted',
    'waiting',
    /^Waiting for bc1p5cyx…kedrcr to complete/,
    'They complete',
  ],
  [
    { viewer: 'acceptor', state: 'accepted', accepted: acceptance('accepted') },
    'sending',
    'nothing',
    /being completed$/,
    'In the mempool',
  ],
  [
    { viewer: 'proposer', state: 'accepted', accepted: acceptance('accepted'), settled: 'mempool' },
    'mempool',
    'nothing',
    /being completed$/,
    'Confirmed, receipt',
  ],
  // The block is known before the state of the acceptance.
  [
    { viewer: 'proposer', state: 'accepted', accepted: acceptance('accepted'), settled: 'confirmed' },
    'confirmed',
    'nothing',
    /the trade is complete$/,
    '',
  ],
  [
    { viewer: 'acceptor', state: 'accepted', accepted: acceptance('settled') },
    'confirmed',
    'nothing',
    /complete$/,
    '',
  ],
  [{ viewer: 'proposer', state: 'expired' }, 'over', 'nothing', /expired$/, ''],
  [{ viewer: 'visitor', state: 'cancelled' }, 'over', 'nothing', /withdrawn$/, ''],
  [{ viewer: 'visitor', state: 'accepted' }, 'over', 'nothing', /taken$/, ''],
])('%o is %s', (given, stage, tone, title, now) => {
  const trade = tradeOf(given)
  expect(stageOf(trade)).toBe(stage)
  const turn = tradeTurnOf(trade)
  expect(turn).toMatchObject({ tone, title: expect.stringMatching(title) })
  expect(turn.text).not.toBe('')
  expect(turn.steps.find(({ state }) => state === 'now')?.label ?? '').toBe(now)
})

it('shows five steps, which are done in order', () => {
  for (const state of ['sending', 'mempool', 'confirmed'] as const) {
    const trade = tradeOf({ viewer: 'acceptor', accepted: acceptance('accepted'), settled: state })
    const states = tradeTurnOf(trade).steps.map((step) => step.state)
    expect(states).toHaveLength(5)
    const order = ['done', 'now', 'waiting']
    expect(states).toEqual(states.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)))
    expect(isSent(stageOf(trade))).toBe(true)
  }
  const done = tradeTurnOf(
    tradeOf({ viewer: 'acceptor', accepted: acceptance('settled'), settled: 'confirmed' }),
  )
  expect(done.steps.map(({ state }) => state)).toEqual(Array(5).fill('done'))
  expect(done.steps[4]!.detail).toBe('In block 871,206')
})

it('says why an acceptance ended', () => {
  const { text } = tradeTurnOf(
    tradeOf({ viewer: 'visitor', accepted: acceptance('rejected', 'declined by the proposer') }),
  )
  expect(text).toBe('Your acceptance ended: declined by the proposer. You can accept again.')
})
