import { expect, it } from 'vitest'
import { freshnessOf } from './freshness.ts'

it.each([
  [true, 0, 'live'],
  [true, 9, 'live'],
  [true, 10, 'quiet'],
  [true, 44, 'quiet'],
  [true, 45, 'lost'],
  [false, 9, 'quiet'],
  [false, 10, 'lost'],
] as const)('freshnessOf(%s, %i) is %s', (isConnected, silence, claim) => {
  expect(freshnessOf(isConnected, silence)).toBe(claim)
})
