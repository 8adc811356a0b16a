import fc from 'fast-check'
import { expect, it } from 'vitest'
import { begin, editing, failed, restored, type Ticket } from './machine.ts'

const fields = { price: '0.01' }

it('keeps the fields from typing over the wallet to a refusal, and names the reason', () => {
  const running = begin(editing(null, fields), 'Listing')
  expect(running).toEqual({ phase: 'running', fields, what: 'Listing', failure: null })
  const refused = failed(running, 'Cancelled. Nothing was signed.')
  expect(refused).toEqual({ phase: 'editing', fields, what: null, failure: 'Cancelled. Nothing was signed.' })
})

it('drops the reason once a field changes', () => {
  const refused = failed(begin(editing(null, fields), 'Listing'), 'Cancelled.')
  expect(editing(refused, { price: '0.02' })).toEqual({
    phase: 'editing',
    fields: { price: '0.02' },
    what: null,
    failure: null,
  })
})

it('does not change what the wallet is asked to sign', () => {
  const running = begin(editing(null, fields), 'Listing')
  expect(editing(running, { price: '9' })).toBe(running)
})

it('opens again after a reload, also while the wallet was asked', () => {
  const running = begin(editing(null, fields), 'Listing')
  for (const ticket of [running, editing(null, fields)])
    expect(restored(JSON.parse(JSON.stringify(ticket)))).toEqual(editing(null, fields))
  const refused = failed(running, 'Cancelled.')
  expect(restored(JSON.parse(JSON.stringify(refused)))).toEqual(refused)
})

it('is none where the storage holds anything else', () => {
  for (const value of [null, 'editing', {}, { phase: 'sold' }, [], 1]) expect(restored(value)).toBeNull()
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const ticket: Ticket | null = restored(value)
      if (ticket) expect(ticket.phase).toBe('editing')
    }),
  )
})
