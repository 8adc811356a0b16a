import { expect, it } from 'vitest'
import { birthOf, rareSatsIn, satributesOf } from './satributes.ts'

const main = { halvingInterval: 210_000, isMain: true }

// From ord's tests.
it.each([
  [0, ['mythic', 'alpha', 'vintage', 'palindrome']],
  [1, ['vintage', 'palindrome']],
  [50 * 1e8 - 1, ['black_uncommon', 'omega', 'vintage']],
  [50 * 1e8, ['uncommon', 'alpha', 'vintage']],
  [50 * 1e8 * 2016 - 1, ['black_rare', 'omega']],
  [50 * 1e8 * 2016, ['rare', 'alpha']],
  [50 * 1e8 * 210_000 - 1, ['black_epic', 'omega']],
  [50 * 1e8 * 210_000, ['epic', 'alpha']],
  [2_067_187_500_000_000 - 1, ['black_legendary', 'omega']],
  [2_067_187_500_000_000, ['legendary', 'alpha']],
  [45_000_000_000, ['uncommon', 'alpha', 'block9', 'nakamoto', 'vintage']],
  [45_000_000_054, ['block9', 'nakamoto', 'vintage', 'palindrome']],
  [2_099_999_997_689_999, ['uncommon']],
])('returns the satributes of sat %i', (sat, expected) => {
  expect(satributesOf(sat, main)).toEqual(expected)
})

it('birthOf rejects sats above the supply', () => {
  expect(birthOf(2_099_999_997_689_999, 210_000)).toEqual({ height: 6_929_999, offset: 0 })
  expect(() => birthOf(2_099_999_997_690_000, 210_000)).toThrow('is not a sat number')
  expect(rareSatsIn(0, 1, 210_000)).toEqual([0])
  expect(rareSatsIn(1, 5_000_000_000, 210_000)).toEqual([])
  expect(rareSatsIn(1, 5_000_000_001, 210_000)).toEqual([5_000_000_000])
  expect(birthOf(750_000_000_000 + 2_500_000_001, 150)).toEqual({ height: 151, offset: 1 })
  expect(satributesOf(750_000_000_000, { halvingInterval: 150, isMain: false })).toEqual(['epic', 'alpha'])
})
