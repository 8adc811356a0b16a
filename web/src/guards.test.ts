import { describe, expect, it } from 'vitest'
import { bidGuards, type Guard, listGuards, offerGuards, sellGuards } from './guards.ts'
import { guardText } from './words/trade.ts'

const named = (guards: readonly Guard[]) => guards.map(({ id, level }) => `${level} ${id}`)

describe('guards of a listing', () => {
  const listing = {
    priceSats: 100_000,
    receiveSats: 94_000,
    floorSats: null,
    traitFloorSats: null,
    lastSaleSats: null,
    bestBid: null,
  }
  const list = (facts: Partial<Parameters<typeof listGuards>[0]>) =>
    named(listGuards({ ...listing, ...facts }))

  it('are none without anything to compare with', () => expect(list({})).toEqual([]))

  it.each([
    ['at the floor', { floorSats: 100_000 }, []],
    ['9% under the floor', { floorSats: 110_000 }, []],
    ['10% under the floor', { floorSats: 111_112 }, ['confirm under-floor']],
    ['10% under the trait floor', { floorSats: 90_000, traitFloorSats: 120_000 }, ['confirm under-floor']],
    ['49% under the floor', { floorSats: 199_999 }, ['confirm under-floor']],
    ['50% under the floor', { floorSats: 200_000 }, ['confirm far-under']],
    ['49% under the last sale', { lastSaleSats: 199_999 }, []],
    ['50% under the last sale', { lastSaleSats: 200_000 }, ['confirm far-under']],
    ['a hundredth of the last sale', { floorSats: 100_000, lastSaleSats: 10_000_000 }, ['confirm far-under']],
    ['20 times the floor', { floorSats: 5000 }, []],
    ['over 20 times the floor', { floorSats: 4999 }, ['confirm size']],
  ])('%s', (_, facts, expected) => {
    expect(list(facts)).toEqual(expected)
  })

  it.each([
    [94_001, ['stop under-offer']],
    [94_000, ['note same-as-offer']],
    [93_999, []],
  ])('with an offer that pays %d net, beside 94,000 of the listing', (netSats, expected) => {
    expect(list({ bestBid: { priceSats: 100_000, netSats } })).toEqual(expected)
  })

  it('ask for the price a second time far under the floor alone', () => {
    const repeated = (floorSats: number) => listGuards({ ...listing, floorSats }).some((each) => each.retype)
    expect([repeated(200_000), repeated(150_000)]).toEqual([true, false])
  })
})

describe('guards of an offer', () => {
  const offer = { priceSats: 100_000, listingSats: null, floorSats: null, balanceSats: null }
  it.each([
    ['below the listing', { listingSats: 100_001 }, []],
    ['at the listing', { listingSats: 100_000 }, ['confirm above-listing']],
    ['above the listing', { listingSats: 40_000 }, ['confirm above-listing']],
    ['over 20 times the floor', { floorSats: 4999 }, ['confirm size']],
    ['90% of the balance', { balanceSats: 111_112 }, []],
    ['over 90% of the balance', { balanceSats: 111_111 }, ['confirm balance']],
  ])('%s', (_, facts, expected) => {
    expect(named(offerGuards({ ...offer, ...facts }))).toEqual(expected)
  })
})

describe('guards of an offer for a collection', () => {
  const bid = { priceSats: 100_000, floorSats: null, balanceSats: null, replaced: 0 }
  it.each([
    ['at the floor', { floorSats: 100_000 }, []],
    ['above the floor', { floorSats: 99_999 }, ['confirm above-floor']],
    ['that ends another', { replaced: 1 }, ['confirm replaces']],
  ])('%s', (_, facts, expected) => {
    expect(named(bidGuards({ ...bid, ...facts }))).toEqual(expected)
  })

  it('say how many offers end', () => {
    const [guard] = bidGuards({ ...bid, replaced: 3 })
    expect(guardText(guard!)).toMatchObject({
      title: 'This replaces 3 of your offers.',
      risk: 'Replace 3 offers',
    })
  })
})

describe('guards of taking an offer', () => {
  const taken = { offerId: 'a', priceSats: 40_000 }
  it.each([
    ['the best one', { offerId: 'a', priceSats: 40_000, netSats: 35_000 }, []],
    ['another of the same price', { offerId: 'b', priceSats: 40_000, netSats: 35_000 }, []],
    [
      'beside a better one',
      { offerId: 'b', priceSats: 60_000, netSats: 54_000 },
      ['confirm below-top-offer'],
    ],
  ])('%s', (_, best, expected) => {
    expect(named(sellGuards(taken, best))).toEqual(expected)
  })

  it('are none without a known offer', () => expect(sellGuards(taken, null)).toEqual([]))
})

it('each guard that asks for a second press names its risk on the button', () => {
  const all = [
    ...listGuards({
      priceSats: 100_000,
      receiveSats: 94_000,
      floorSats: 4000,
      traitFloorSats: null,
      lastSaleSats: 10_000_000,
      bestBid: { priceSats: 200_000, netSats: 190_000 },
    }),
    ...offerGuards({ priceSats: 100_000, listingSats: 1, floorSats: 1, balanceSats: 1 }),
    ...bidGuards({ priceSats: 100_000, floorSats: 1, balanceSats: 1, replaced: 1 }),
  ]
  for (const guard of all) expect(Boolean(guardText(guard).risk), guard.id).toBe(guard.level === 'confirm')
})
