import { expect, it } from 'vitest'
import { type Acceptance, tradeTurnOf } from './trade-turn.ts'

type Proposal = Parameters<typeof tradeTurnOf>[0]
const proposal = {
  state: 'active',
  available: true,
  creatorAddress: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
  expiresAt: '2026-05-17T00:00:00Z',
} as Proposal
const acceptance = (state: Acceptance['state']) =>
  ({ state, expiresAt: '2026-05-15T00:00:00Z', expectedSettlementTxid: 'ab' }) as Acceptance

it.each([
  ['creator', 'active', undefined, 'waiting', /^Waiting for someone/],
  ['other', 'active', undefined, 'waiting', /^Open/],
  ['creator', 'active', 'active', 'turn', /^Your turn: complete/],
  ['other', 'active', 'active', 'waiting', /^Waiting for bc1p5cyx…kedrcr to complete/],
  ['creator', 'accepted', 'accepted', 'nothing', /^Nothing to do/],
  ['other', 'accepted', 'settled', 'done', /^Completed/],
  ['creator', 'expired', undefined, 'nothing', /^Ended/],
  ['creator', 'cancelled', undefined, 'nothing', /^Withdrawn/],
] as const)('%s of a proposal %s with acceptance %s: %s', (side, state, of, tone, text) => {
  const turn = tradeTurnOf({ ...proposal, state }, side === 'creator', of && acceptance(of))
  expect(turn).toMatchObject({ tone, text: expect.stringMatching(text) })
  expect(turn.receiptTxid).toBe(of === 'settled' ? 'ab' : undefined)
})
