import { expect, it } from 'vitest'
import { isImmature } from './maturity.ts'

it.each([
  [99, true],
  [100, false],
])('coinbase output with %i confirmations: isImmature returns %s', (confirmations, immature) => {
  expect(isImmature({ coinbase: true, confirmations })).toBe(immature)
})

it('isImmature returns false for other outputs', () => {
  expect(isImmature({ coinbase: false, confirmations: 0 })).toBe(false)
})
