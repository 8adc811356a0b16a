import { expect, it } from 'vitest'
import { doubtsAbout } from './price-check.ts'

const market = { floorSats: 100_000, lastSaleSats: 200_000 }

it.each([
  ['sell', 100_000, []],
  ['sell', 69_999, ['the floor', 'the last sale']],
  ['sell', 99_999, ['the last sale']],
  ['buy', 150_000, []],
  ['buy', 150_001, ['the floor']],
  ['buy', 400_001, ['the floor', 'the last sale']],
  ['bid', 100_000, []],
  ['bid', 100_001, ['the floor']],
] as const)('reports doubts about a %s at %d sats: %j', (side, priceSats, names) => {
  const doubts = doubtsAbout(side, priceSats, market)
  expect(doubts.map((doubt) => names.find((name) => doubt.includes(name)))).toEqual(names)
})

it('reports no doubts without reference prices', () => {
  expect(doubtsAbout('sell', 1, { floorSats: null, lastSaleSats: null })).toEqual([])
})
