import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { begin, editing, failed, restored, type Step, stepped, type Ticket } from './machine.ts'

const fields = { price: '0.01' }
const item = { inscriptionId: `${'a'.repeat(64)}i0`, name: 'Lamp #0', goes: 'arrives' as const }
const about = { title: 'Buy Lamp #0', items: [item], settles: true }
const sign: Step = { at: 'sign', wallet: 'Lamp', signed: 0, of: 2 }
const open = editing(null, fields)
const running = begin(open, 'Listing')
const kept = (ticket: Ticket) => restored(JSON.parse(JSON.stringify(ticket)), (left) => left)

describe('ticket', () => {
  it('keeps the fields after an error', () => {
    expect(running).toMatchObject({ phase: 'running', fields, what: 'Listing', step: { at: 'check' } })
    const refused = failed(running, 'Cancelled. Nothing was signed.')
    expect(refused).toMatchObject({ phase: 'editing', fields, failure: 'Cancelled. Nothing was signed.' })
  })

  it('moves through check, signatures and submission', () => {
    const steps: Step[] = [sign, { ...sign, signed: 1 }, { at: 'send' }]
    let ticket: Ticket | null = running
    for (const step of steps) {
      ticket = stepped(ticket, step, about)
      expect(ticket).toMatchObject({ phase: 'running', step, about, fields })
    }
    expect(stepped(ticket, { at: 'check' })).toMatchObject({ step: { at: 'check' }, about })
  })

  it('records the failed step', () => {
    const buying = stepped(begin(null, 'Buying'), sign, about)
    expect(failed(buying, 'Cancelled.')).toEqual({
      phase: 'failed',
      fields: null,
      what: 'Buying',
      failure: 'Cancelled.',
      isCancelled: false,
      step: sign,
      about,
    })
    expect(failed(buying, 'Cancelled.', true)).toMatchObject({ phase: 'failed', isCancelled: true })
  })

  it('clears the error on a retry', () => {
    expect(begin(failed(begin(null, 'Buying'), 'Cancelled.'), 'Buying')).toMatchObject({
      phase: 'running',
      failure: null,
    })
  })

  it('clears the error when a field changes', () => {
    expect(editing(failed(running, 'Cancelled.'), { price: '0.02' })).toEqual({
      ...open,
      fields: { price: '0.02' },
    })
  })

  it('ignores edits while the wallet signs', () => {
    expect(editing(running, { price: '9' })).toBe(running)
    const refused = failed(running, 'Cancelled.')
    for (const ended of [null, open, refused]) expect(stepped(ended, { at: 'send' })).toBe(ended)
  })
})

describe('ticket after a reload', () => {
  it('restores the fields after a failure', () => {
    expect(kept(open)).toEqual(open)
    expect(kept(failed(running, 'Cancelled.'))).toMatchObject({
      phase: 'editing',
      fields,
      failure: 'Cancelled.',
    })
  })

  it('states that nothing was sent before signing', () => {
    for (const ticket of [running, stepped(running, sign)!])
      expect(kept(ticket)).toMatchObject({ phase: 'editing', fields, failure: 'left-unsent' })
    const buying = stepped(begin(null, 'Buying'), sign)!
    expect(kept(buying)).toMatchObject({
      phase: 'failed',
      failure: 'left-unsent',
      isCancelled: true,
      step: sign,
    })
    expect(kept({ ...buying, step: { ...sign, signed: 'x' } as unknown as Step })?.step).toEqual({
      at: 'check',
    })
  })

  it('does not say that nothing was sent during submission', () => {
    expect(kept(stepped(running, { at: 'send' })!)).toMatchObject({
      failure: 'left-sending',
      isCancelled: false,
    })
  })

  it('closes a failed ticket without fields', () => {
    expect(kept(failed(begin(null, 'Buying'), 'Cancelled.'))).toBeNull()
  })

  it('closes a malformed ticket', () => {
    for (const value of [null, 'editing', {}, { phase: 'sold' }, [], 1])
      expect(restored(value, (left) => left)).toBeNull()
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(restored(value, (left) => left)?.phase ?? 'editing').not.toBe('running')
      }),
    )
  })
})
