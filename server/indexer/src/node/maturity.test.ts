import { expect, it } from 'vitest'
import { isImmature } from './maturity.ts'

it.each([
  [99, true],
  [100, false],
])('isImmature of a coinbase output with %i confirmations is %s', (confirmations, immature) => {
  expect(isImmature({ coinbase: true, confirmations })).toBe(immature)
})

it('isImmature is false for outputs of other transactions', () => {
  expect(isImmature({ coinbase: false, confirmations: 0 })).toBe(false)
})
