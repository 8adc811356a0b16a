import { expect, it } from 'vitest'
import { isImmature } from './maturity.ts'

it.each([
  [99, true],
  [100, false],
])('with %i confirmations, a coinbase output is immature: %s', (confirmations, immature) => {
  expect(isImmature({ coinbase: true, confirmations })).toBe(immature)
})

it('never treats an output of another transaction as immature', () => {
  expect(isImmature({ coinbase: false, confirmations: 0 })).toBe(false)
})
