import { MAX_COUNTED_OFFERS } from '@ordbook/contract/storefront/collections.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_OFFERS } from '../bids/collection-search.ts'
import { boundsOf, handlesOf, hasOutliers, moved, type Prices, pricesOf, startOf } from './price-ranges.ts'

const BARS = 30
const prices: Prices = {
  leastSats: 100_000,
  stepSats: 1000,
  mostSats: 129_999,
  bars: Array.from({ length: BARS }, () => 1),
}
const ALL = { low: 0, high: BARS }

describe('price filter', () => {
  it('selects all bars without limits', () => {
    expect(handlesOf(prices, undefined, undefined)).toEqual(ALL)
    expect(boundsOf(prices, ALL)).toEqual({ min: undefined, max: undefined })
  })

  it('converts each pair of handles to prices and back', () => {
    for (let low = 0; low < BARS; low++)
      for (let high = low + 1; high <= BARS; high++) {
        const { min, max } = boundsOf(prices, { low, high })
        expect(handlesOf(prices, min, max)).toEqual({ low, high })
      }
  })

  it('keeps at least one bar for any typed prices', () => {
    const sats = fc.option(fc.integer({ min: 0, max: 2_100_000_000_000_000 }), { nil: undefined })
    fc.assert(
      fc.property(sats, sats, (min, max) => {
        const { low, high } = handlesOf(prices, min, max)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(BARS)
        expect(low).toBeLessThan(high)
      }),
    )
  })

  it('moves a handle up to the other one', () => {
    expect(moved(ALL, 'low', 40, BARS)).toEqual({ low: BARS - 1, high: BARS })
    expect(moved(ALL, 'low', -5, BARS)).toEqual(ALL)
    expect(moved({ low: 10, high: 20 }, 'high', 3, BARS)).toEqual({ low: 10, high: 11 })
    expect(moved(ALL, 'high', 35, BARS)).toEqual(ALL)
  })

  it('reports outliers above the last bar', () => {
    expect(hasOutliers(prices)).toBe(false)
    expect(hasOutliers({ ...prices, mostSats: startOf(prices, BARS) })).toBe(true)
  })

  it('has no prices without listings', () => {
    expect(pricesOf({ leastSats: null, stepSats: null, mostSats: null, bars: [] })).toBeNull()
  })
})

it('knows where the count of offers stops', () => {
  expect(MAX_OFFERS).toBe(MAX_COUNTED_OFFERS)
})
