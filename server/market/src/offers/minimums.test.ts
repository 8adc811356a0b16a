import fc from 'fast-check'
import { expect, it } from 'vitest'
import { minimumOffer } from './minimums.ts'

const none = {
  selectedFloorSats: null,
  highestFloorSats: null,
  collectionOfferSats: null,
  topOfferSats: null,
}
const least = (of: Partial<typeof none | Record<keyof typeof none, number>>, offerFloorPercent = 0) =>
  minimumOffer({ offerFloorPercent }, { ...none, ...of }).sats

it('requires 20% of the floor, up to a cap', () => {
  expect(least({})).toBe(0)
  expect(least({ selectedFloorSats: 100_000 })).toBe(20_000)
  expect(least({ selectedFloorSats: 100_001 })).toBe(21_000)
  expect(least({ selectedFloorSats: 5_000_000 })).toBe(1_000_000)
  expect(least({ selectedFloorSats: 900_000_000 })).toBe(1_000_000)
})

it('requires OFFER_FLOOR_PERCENT of the highest floor', () => {
  expect(least({ highestFloorSats: 900_000_000 })).toBe(0)
  expect(least({ highestFloorSats: 900_000_000 }, 50)).toBe(450_000_000)
  expect(least({ selectedFloorSats: 100_000, highestFloorSats: 100_000 }, 12.5)).toBe(20_000)
  expect(least({ highestFloorSats: 101_000 }, 12.5)).toBe(13_000)
})

it('requires 90% of the best collection offer', () => {
  expect(least({ collectionOfferSats: 75_000 })).toBe(68_000)
  expect(least({ collectionOfferSats: 100_000, selectedFloorSats: 500_000 })).toBe(100_000)
  fc.assert(
    fc.property(fc.nat(2e9), fc.nat(2e9), fc.nat(2e9), fc.nat(100), (floor, highest, offer, percent) => {
      const sats = least(
        { selectedFloorSats: floor, highestFloorSats: highest, collectionOfferSats: offer },
        percent,
      )
      expect(sats % 1000).toBe(0)
      for (const rule of [Math.min(floor / 5, 1e6), (highest * percent) / 100, offer * 0.9])
        expect(sats).toBeGreaterThanOrEqual(rule)
      expect(sats).toBeLessThan(
        Math.max(Math.min(floor / 5, 1e6), (highest * percent) / 100, offer * 0.9) + 1000,
      )
    }),
  )
})
