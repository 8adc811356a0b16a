import { expect, it } from 'vitest'
import { freshnessOf } from './freshness.ts'

it.each([
  [true, false, 0, 'live'],
  [true, false, 9, 'live'],
  [true, false, 10, 'quiet'],
  [true, false, 44, 'quiet'],
  [true, false, 45, 'lost'],
  [false, false, 9, 'quiet'],
  [false, false, 10, 'lost'],
  [true, true, 0, 'lost'],
] as const)(
  'connected %s, unreachable %s, silent for %i s is %s',
  (isConnected, isUnreachable, silence, claim) => {
    expect(freshnessOf({ isConnected, isUnreachable }, silence)).toBe(claim)
  },
)
