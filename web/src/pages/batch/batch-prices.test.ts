import fc from 'fast-check'
import { expect, it } from 'vitest'
import { adjusted, adjustmentIn, pricesBy, type References, shorthand, stepOf } from './batch-prices.ts'

const lamp: References = {
  inscriptionId: 'lamp',
  slug: 'lamps',
  floorSats: 126_000,
  traitFloorSats: 156_300,
  bestBidSats: 110_000,
}
const none = { percent: 0, stepSats: 3000 }
const sats = fc.integer({ min: 1, max: 10 ** 11 })
const percents = fc.integer({ min: -900, max: 2000 }).map((tenths) => tenths / 10)

it('rounds up to the step, by less than a step', () => {
  fc.assert(
    fc.property(sats, percents, (base, percent) => {
      const exact = (base * (1000 + Math.round(percent * 10))) / 1000
      const price = adjusted(base, percent)
      expect(price % stepOf(exact)).toBe(0)
      expect(price).toBeGreaterThanOrEqual(exact)
      expect(price - exact).toBeLessThan(stepOf(exact))
    }),
  )
})

it('keeps a price that matches the step', () => {
  expect(adjusted(126_000, 0)).toBe(126_000)
  expect(adjusted(54_320, 0)).toBe(54_320)
  expect(adjusted(126_001, 0)).toBe(127_000)
})

it('fills in floor, trait floor and best bid', () => {
  const priceOf = (tool: 'floor' | 'trait' | 'bid', of = lamp) => pricesBy(tool, [of], none).get('lamp')
  expect([priceOf('floor'), priceOf('trait'), priceOf('bid')]).toEqual([126_000, 157_000, 110_000])
  expect(priceOf('trait', { ...lamp, traitFloorSats: null })).toBe(126_000)
  expect(priceOf('bid', { ...lamp, bestBidSats: null })).toBeUndefined()
})

it('begins a ladder at the floor of each collection, cheapest item first', () => {
  const item = (inscriptionId: string, slug: string, traitFloorSats: number | null) => ({
    ...lamp,
    inscriptionId,
    slug,
    traitFloorSats,
    floorSats: slug === 'lamps' ? 126_000 : 70_000,
  })
  const items = [item('dear', 'lamps', 900_000), item('cheap', 'lamps', null), item('buoy', 'buoys', null)]
  expect(Object.fromEntries(pricesBy('ladder', items, none))).toEqual({
    cheap: 126_000,
    dear: 129_000,
    buoy: 70_000,
  })
  expect(pricesBy('ladder', items, { percent: 10, stepSats: 1 }).get('dear')).toBe(140_000)
})

it('rises by at least the step of a ladder', () => {
  fc.assert(
    fc.property(sats, percents, fc.integer({ min: 1, max: 10_000_000 }), (floor, percent, stepSats) => {
      const items = Array.from({ length: 8 }, (_, n) => ({
        ...lamp,
        inscriptionId: String(n),
        floorSats: floor,
      }))
      const prices = [...pricesBy('ladder', items, { percent, stepSats }).values()]
      for (const [n, price] of prices.entries())
        if (n > 0) expect(price).toBeGreaterThanOrEqual(prices[0]! + n * stepSats)
    }),
  )
})

it('reads shorthands', () => {
  const typed = (text: string, from: number | null = 200_000) => shorthand(text, lamp, from)
  expect([typed('floor'), typed(' Trait '), typed('bid')]).toEqual([126_000, 157_000, 110_000])
  expect([typed('+5%'), typed('-10 %'), typed('−2,5%')]).toEqual([210_000, 180_000, 195_000])
  // Without a price, percentages are of the estimated value.
  expect(typed('+10%', null)).toBe(172_000)
  for (const text of ['', '5%', '0.0015', '-100%', '+5', 'top']) expect(typed(text)).toBeNull()
  expect(shorthand('bid', { ...lamp, bestBidSats: null }, 200_000)).toBeNull()
})

it('reads adjustments', () => {
  expect(['', '5', '+2.5', '-1 %', '−3', '0,5'].map(adjustmentIn)).toEqual([0, 5, 2.5, -1, -3, 0.5])
  for (const text of ['x', '1.25', '-100', '--5', '5e2', '2000']) expect(adjustmentIn(text)).toBeNull()
})
