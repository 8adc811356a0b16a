import { expect, it } from 'vitest'
import { problemOf } from './compare.ts'

const body = { rows: [{ at: '2026-11-21T12:00:00.000Z', title: null, priceSats: 5 }] }
const problemWith = (row: object) => problemOf({ operation: 'read', body }, { rows: [row] })

it('accepts another form of a time, and an omitted null', () => {
  expect(problemWith({ at: '2026-11-21T12:00:00Z', priceSats: 5 })).toBeNull()
})

it.each([
  ['a changed value', { at: '2026-11-21T12:00:00Z', priceSats: 6 }],
  ['a missing field', { at: '2026-11-21T12:00:00Z' }],
  ['another time', { at: '2026-11-21T13:00:00Z', priceSats: 5 }],
])('reports %s', (_, row) => {
  expect(problemWith(row)).toMatch(/^read: parsed/)
})

it('reports a response without rows', () => {
  expect(problemOf({ operation: 'read', body: { rows: [] } }, { rows: [] })).toBe(
    'read: the market returned no rows',
  )
})
