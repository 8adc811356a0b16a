import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MEASURES, profitOf, realisedOf, totalsOf, valueBy } from './item-worth.ts'

const sats = fc.option(fc.integer({ min: 0, max: 2_000_000_000 }), { nil: null })
const worths = fc.array(
  fc.record({ traitFloorSats: sats, collectionFloorSats: sats, bestOfferSats: sats, costSats: sats }),
  { maxLength: 40 },
)
const sum = (amounts: readonly (number | null)[]) =>
  amounts.reduce<number>((total, each) => total + (each ?? 0), 0)

it('sums the cards for every measure', () => {
  fc.assert(
    fc.property(worths, fc.constantFrom(...MEASURES), (all, measure) => {
      const totals = totalsOf(all, measure)
      for (const each of MEASURES) expect(totals.values[each]).toBe(sum(all.map((one) => valueBy(one, each))))
      expect(totals.costSats).toBe(sum(all.map((one) => one.costSats)))
      expect(totals.profitSats).toBe(sum(all.map((one) => profitOf(one, measure))))
      expect(totals.unknownCosts).toBe(all.filter((one) => one.costSats === null).length)
    }),
  )
})

it('excludes items of unknown cost from the profit', () => {
  const none = { traitFloorSats: null, collectionFloorSats: null, bestOfferSats: null }
  const all = [
    { ...none, traitFloorSats: 50_000, costSats: 40_000 },
    { ...none, traitFloorSats: 70_000, costSats: null },
    { ...none, costSats: 90_000 },
  ]
  expect(totalsOf(all, 'trait')).toMatchObject({
    profitSats: 10_000,
    comparedCostSats: 40_000,
    costSats: 130_000,
    unknownCosts: 1,
  })
})

it("falls back to the collection's floor", () => {
  const worth = { traitFloorSats: null, collectionFloorSats: 30_000, bestOfferSats: 20_000, costSats: null }
  expect(valueBy(worth, 'trait')).toBe(30_000)
  expect(valueBy({ ...worth, collectionFloorSats: null }, 'trait')).toBeNull()
})

it('computes the realised profit', () => {
  const sale = { side: 'sold', inscriptionId: 'a', priceSats: 100_000, feesSats: 1000 } as const
  const sales = [
    { ...sale, costSats: 60_000 },
    { ...sale, inscriptionId: 'typed', costSats: null },
    { ...sale, inscriptionId: 'unknown', costSats: null },
    { ...sale, side: 'bought' as const, costSats: null },
  ]
  expect(realisedOf(sales, { typed: 110_000 })).toEqual({ profitSats: 39_000 - 11_000, count: 2 })
})
