import { describe, expect, it } from 'vitest'
import { begin, failed, type Step, stepped } from './machine.ts'
import { sentIn } from './sent.ts'
import { isDecided, stepsOfReview, stepsOfSent, stepsOfTicket } from './steps.ts'

const item = { inscriptionId: `${'a'.repeat(64)}i0`, name: 'Lamp #0', goes: 'arrives' as const }
const about = { title: 'Buy Lamp #0', items: [item], settles: true }
const at = (step: Step, settles = true) => stepped(begin(null, 'Buying'), step, { ...about, settles })!
const states = (steps: { state: string }[]) => steps.map(({ state }) => state)
const sign = (signed: number, of: number): Step => ({ at: 'sign', wallet: 'Xverse', signed, of })

describe('timeline of a trade', () => {
  it.each([
    [at({ at: 'check' }), ['now', 'waiting', 'waiting', 'waiting', 'waiting']],
    [at(sign(0, 1)), ['done', 'now', 'waiting', 'waiting', 'waiting']],
    [at({ at: 'send' }), ['done', 'done', 'now', 'waiting', 'waiting']],
    [at({ at: 'send' }, false), ['done', 'done', 'now']],
    [failed(at(sign(0, 1)), 'Cancelled.'), ['done', 'failed', 'waiting', 'waiting', 'waiting']],
  ])('shows each step of a running action (%#)', (ticket, expected) => {
    expect(states(stepsOfTicket(ticket))).toEqual(expected)
  })

  it('counts the signatures of a wallet', () => {
    const shown = (step: Step) => stepsOfTicket(at(step))[1]
    expect(shown(sign(0, 1))).toMatchObject({ label: 'Sign in Xverse', at: '1 of 1' })
    expect(shown(sign(0, 3))).not.toHaveProperty('at')
    expect(shown(sign(1, 3))).toMatchObject({ at: '2 of 3' })
    expect(shown(sign(3, 3))).toMatchObject({ at: '3 of 3' })
  })

  it.each([
    ['sending', 0, false],
    ['mempool', 0, false],
    ['confirmed', 5, false],
    ['confirmed', 6, true],
    ['failed', 0, true],
  ] as const)('checks finality of a %s trade with %i confirmations', (state, confirmations, decided) => {
    expect(isDecided({ state, confirmations, blockHeight: null })).toBe(decided)
  })

  it('shows the error at the failed step', () => {
    expect(stepsOfTicket(failed(at({ at: 'send' }), 'Sold.'))[2]).toMatchObject({
      state: 'failed',
      detail: 'Sold.',
    })
  })

  it('shows the same steps in the review', () => {
    expect(stepsOfReview('Xverse', 1, true)).toEqual(stepsOfTicket(at(sign(0, 1))))
  })

  it('states in the review how many transactions the wallet will show', () => {
    const details = [1, 7].map((count) => stepsOfReview('UniSat', count, false)[1]!.detail)
    expect(details).toEqual([
      'Nothing is sent before you sign.',
      '7 transactions to sign, together or one by one. Nothing is sent before you sign.',
    ])
  })

  it('states in the review how many wallet windows will open', () => {
    const shown = (windows: number) => stepsOfReview('Xverse', 28, false, windows)[1]!
    expect(shown(1).detail).toBe(
      '28 transactions to sign, in 1 wallet window. Nothing is sent before you sign.',
    )
    expect(shown(28).detail).toBe(
      '28 transactions to sign, in 28 wallet windows. Nothing is sent before you sign.',
    )
    expect(stepsOfReview('Xverse', 1, true, 1)).toEqual(stepsOfReview('Xverse', 1, true))
  })

  it.each([
    [undefined, ['now', 'waiting'], 'Confirmed'],
    [{ state: 'sending', blockHeight: null, confirmations: 0 }, ['now', 'waiting'], 'Confirmed'],
    [{ state: 'mempool', blockHeight: null, confirmations: 0 }, ['done', 'now'], 'Confirmed'],
    [
      { state: 'confirmed', blockHeight: 871_204, confirmations: 2 },
      ['done', 'done'],
      'Confirmed in block 871,204',
    ],
    [{ state: 'failed', blockHeight: null, confirmations: 0 }, ['done', 'failed'], 'Confirmed'],
  ] as const)('shows the state of the settlement (%#)', (settlement, expected, label) => {
    const steps = stepsOfSent(settlement)
    expect(states(steps)).toEqual(['done', 'done', 'done', ...expected])
    expect(steps.at(-1)!.label).toBe(label)
  })
})

it('keeps the newest twenty trades', () => {
  const sent = (n: number) => ({ txid: n.toString(16).padStart(64, '0'), title: 'Buy', items: [item] })
  const all = Array.from({ length: 25 }, (_, n) => sent(n))
  expect(sentIn([null, 1, { ...sent(1), txid: 'javascript:' }, { ...sent(1), items: [7] }, ...all])).toEqual(
    all.slice(5),
  )
  for (const value of [null, {}, 'sent']) expect(sentIn(value)).toEqual([])
})
