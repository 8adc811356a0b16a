import fc from 'fast-check'
import { expect, it } from 'vitest'
import { floorAndSales, rankedPrices, salesByHour, volumeBars } from './chart-data.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()

it('keeps the floor until its next change', () => {
  const [times, floor, sales, own] = floorAndSales(
    [
      { at: at(10), sats: 500 },
      { at: at(30), sats: null },
    ],
    [
      { at: at(20), priceSats: 600, inscriptionId: 'a' },
      { at: at(20), priceSats: 700, inscriptionId: 'b' },
      { at: at(40), priceSats: 800, inscriptionId: 'a' },
    ],
    { until: new Date(50_000), own: 'b' },
  )
  expect(times).toEqual([10, 20, 20.001, 30, 40, 50])
  expect(floor).toEqual([500, 500, 500, null, null, null])
  expect(sales).toEqual([null, 600, null, null, 800, null])
  expect(own).toEqual([null, null, 700, null, null, null])
})

it('sorts sales by time', () => {
  const time = fc.integer({ min: 0, max: 1000 })
  fc.assert(
    fc.property(
      fc.array(time),
      fc.array(fc.record({ time, price: fc.integer({ min: 1 }) })),
      (steps, sold) => {
        const floor = steps.toSorted((a, b) => a - b).map((step) => ({ at: at(step), sats: step + 1 }))
        const sales = sold
          .toSorted((a, b) => a.time - b.time)
          .map((each) => ({ at: at(each.time), priceSats: each.price, inscriptionId: 'a' }))
        const [times, , prices] = floorAndSales(floor, sales, { until: new Date(1_001_000) })
        expect(times.every((time, n) => n === 0 || time > times[n - 1]!)).toBe(true)
        expect(prices.filter((price) => price !== null)).toEqual(sales.map((sale) => sale.priceSats))
      },
    ),
  )
})

it('sums the volume per interval', () => {
  const [times, volumes] = volumeBars(
    [
      { at: at(0), sats: 5 },
      { at: at(120), sats: 7 },
    ],
    { from: at(0), until: new Date(240_000), partSeconds: 60 },
  )
  expect(times).toEqual([0, 60, 120, 180])
  expect(volumes).toEqual([5, 0, 7, 0])
})

it('plots one point per item and rank', () => {
  const [ranks, listed, sold] = rankedPrices(
    [
      { rank: 2, priceSats: 900 },
      { rank: 7, priceSats: 300 },
    ],
    [
      { rank: 2, priceSats: 700 },
      { rank: 2, priceSats: 800 },
    ],
  )
  expect(ranks.map(Math.floor)).toEqual([2, 2, 2, 7])
  expect(new Set(ranks).size).toBe(4)
  expect(listed).toEqual([900, null, null, 300])
  expect(sold).toEqual([null, 700, 800, null])
})

it('counts each sale in its hour', () => {
  const local = (hour: number, day: number) => ({ at: new Date(2026, 0, day, hour, 59, 59).toISOString() })
  const hours = salesByHour([local(0, 1), local(23, 1), local(23, 9)])
  expect([hours.length, hours[0], hours[23]]).toEqual([24, 1, 2])
  expect(hours.reduce((sum, each) => sum + each, 0)).toBe(3)
})
