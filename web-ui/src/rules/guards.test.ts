import { describe, expect, it } from 'vitest'
import { guardText } from '../strings/trade.ts'
import {
  bidGuards,
  coinGuards,
  collectionGuards,
  counterGuards,
  feeGuards,
  type Guard,
  inLineGuards,
  listGuards,
  movedGuards,
  offerGuards,
  sellGuards,
  tradeGuards,
} from './guards.ts'

const named = (guards: readonly Guard[]) => guards.map(({ id, level }) => `${level} ${id}`)

describe('listGuards', () => {
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

  it('shows no listing guard without reference prices', () => expect(list({})).toEqual([]))

  it.each([
    ['at the floor', { floorSats: 100_000 }, []],
    ['9% under the floor', { floorSats: 110_000 }, []],
    ['10% under the floor', { floorSats: 111_112 }, ['confirm under-floor']],
    [
      'at the floor, under the trait floor',
      { floorSats: 100_000, traitFloorSats: 192_000 },
      ['note under-trait-floor'],
    ],
    ['10% under the trait floor', { floorSats: 90_000, traitFloorSats: 120_000 }, ['note under-trait-floor']],
    ['under both floors', { floorSats: 120_000, traitFloorSats: 150_000 }, ['confirm under-floor']],
    ['49% under the floor', { floorSats: 199_999 }, ['confirm under-floor']],
    ['50% under the floor', { floorSats: 200_000 }, ['confirm far-under']],
    ['49% under the last sale', { lastSaleSats: 199_999 }, []],
    ['50% under the last sale', { lastSaleSats: 200_000 }, ['confirm far-under']],
    ['a hundredth of the last sale', { floorSats: 100_000, lastSaleSats: 10_000_000 }, ['confirm far-under']],
    ['20 times the floor', { floorSats: 5000 }, []],
    ['over 20 times the floor', { floorSats: 4999 }, ['confirm size']],
  ])('checks a listing %s', (_, facts, expected) => {
    expect(list(facts)).toEqual(expected)
  })

  it.each([
    [94_001, ['stop under-offer']],
    [94_000, ['note same-as-offer']],
    [93_999, []],
  ])('compares an offer of %d net with the listing', (netSats, expected) => {
    expect(list({ bestBid: { priceSats: 100_000, netSats } })).toEqual(expected)
  })

  it('asks to retype a price far below the floor', () => {
    const repeated = (floorSats: number) => listGuards({ ...listing, floorSats }).some((each) => each.retype)
    expect([repeated(200_000), repeated(150_000)]).toEqual([true, false])
  })

  it('counterGuards never asks to retype the price', () => {
    const counter = { ...listing, floorSats: 200_000, bestBid: { priceSats: 110_000, netSats: 104_000 } }
    const guards = counterGuards(counter)
    expect(named(guards)).toEqual(['stop under-offer', 'confirm far-under'])
    expect(guards.some((guard) => guard.retype ?? guard.wayOut)).toBe(false)
    expect(guardText(guards[1]!).text).toContain('Check the decimal point')
  })
})

it('names the price that each guard compares with', () => {
  const facts = { receiveSats: 1, bestBid: null, floorSats: null, traitFloorSats: null, lastSaleSats: null }
  const texts = [
    ...listGuards({ ...facts, priceSats: 100_000, floorSats: 120_000, traitFloorSats: 300_000 }),
    ...listGuards({ ...facts, priceSats: 100_000, floorSats: 100_000, traitFloorSats: 193_000 }),
    ...listGuards({ ...facts, priceSats: 100_000, floorSats: 300_000 }),
    ...listGuards({ ...facts, priceSats: 100_000, lastSaleSats: 300_000 }),
    ...listGuards({ ...facts, priceSats: 3_000_000, lastSaleSats: 100_000 }),
    ...bidGuards({ priceSats: 110_000, floorSats: 100_000, balanceSats: null, of: 'trait floor' }),
  ].map((guard) => guardText(guard).title + guardText(guard).text)
  expect(texts).toEqual([
    expect.stringMatching(/under the floor.*The floor is 0.0012 BTC/),
    expect.stringMatching(/under the trait floor.*The trait floor is 0.00193 BTC/),
    expect.stringMatching(/under the floor.*The floor is 0.003 BTC/),
    expect.stringMatching(/under the last sale.*The last sale is 0.003 BTC/),
    expect.stringMatching(/30 times the last sale.*The last sale is 0.001 BTC/),
    expect.stringMatching(/above the trait floor.*The trait floor is 0.001 BTC/),
  ])
})

describe('offerGuards', () => {
  const offer = { priceSats: 100_000, listingSats: null, floorSats: null, balanceSats: null }
  it.each([
    ['below the listing', { listingSats: 100_001 }, []],
    ['at the listing', { listingSats: 100_000 }, ['confirm above-listing']],
    ['above the listing', { listingSats: 40_000 }, ['confirm above-listing']],
    ['over 20 times the floor', { floorSats: 4999 }, ['confirm size']],
    ['90% of the balance', { balanceSats: 111_112 }, []],
    ['over 90% of the balance', { balanceSats: 111_111 }, ['confirm balance']],
  ])('checks an offer %s', (_, facts, expected) => {
    expect(named(offerGuards({ ...offer, ...facts }))).toEqual(expected)
  })
})

describe('bidGuards', () => {
  const bid = { priceSats: 100_000, floorSats: null, balanceSats: null }
  it.each([
    ['at the floor', { floorSats: 100_000 }, []],
    ['above the floor', { floorSats: 99_999 }, ['confirm above-floor']],
  ])('checks a collection offer %s', (_, facts, expected) => {
    expect(named(bidGuards({ ...bid, ...facts }))).toEqual(expected)
  })
})

describe('coinGuards', () => {
  const ended = { priceSats: 400_000, collectionSlug: 'lamp-keepers', scopeLabel: null, replaced: true }
  const shared = { ...ended, priceSats: 100_000, scopeLabel: 'Hat: Cap', replaced: false }

  it('accepts a coin that backs no other offer', () => expect(coinGuards([])).toEqual([]))

  it('names each offer that shares the coin', () => {
    const guards = coinGuards([ended, shared, ended])
    expect(named(guards)).toEqual(['confirm replaces', 'confirm shares'])
    expect(guards.map(guardText)).toMatchObject(
      [
        {
          title: 'This replaces 2 of your offers.',
          text: 'The same coin backs 0.004 BTC for lamp-keepers, 0.004 BTC for lamp-keepers.',
          risk: 'Replace 2 offers',
        },
        { title: 'This shares a coin with one of your offers.', text: /0.001 BTC for Hat: Cap/ },
      ].map((each) => ({ ...each, text: expect.stringMatching(each.text) })),
    )
  })

  it('names at most three offers', () => {
    const [guard] = coinGuards([ended, ended, ended, ended, ended])
    expect(guardText(guard!).text).toContain('2 more')
  })
})

describe('inLineGuards', () => {
  const sales = { leastSats: 90_000, mostSats: 110_000 }
  it.each([
    [89_999, []],
    [90_000, ['note in-line']],
    [110_000, ['note in-line']],
    [110_001, []],
  ])('compares %d with the last sales of the trait', (priceSats, expected) => {
    expect(named(inLineGuards(priceSats, sales, 'Brass crown'))).toEqual(expected)
  })

  it('shows no note without sales', () => expect(inLineGuards(100_000, null, 'Brass crown')).toEqual([]))
})

it.each([
  ['verified', null, []],
  ['unverified', null, ['note unverified']],
  ['unverified', { name: 'Lamp Keepers' }, ['confirm same-name']],
])('checks a purchase from a collection: %s, same name as %s', (verificationStatus, sameNameAs, expected) => {
  expect(named(collectionGuards({ verificationStatus, sameNameAs }))).toEqual(expected)
})

it.each([
  [10_000, []],
  [10_001, ['note fee-rate']],
])('checks a network fee of %d for a price of 100,000', (networkSats, expected) => {
  expect(named(feeGuards(100_000, networkSats))).toEqual(expected)
})

it.each([
  ['buyer', 101_000, []],
  ['buyer', 101_001, ['stop price-moved']],
  ['buyer', 50_000, []],
  ['seller', 99_000, []],
  ['seller', 98_999, ['stop price-moved']],
  ['seller', 150_000, []],
] as const)('checks the total of a %s that changed to %d', (side, totalSats, expected) => {
  expect(named(movedGuards(100_000, totalSats, side))).toEqual(expected)
})

describe('sellGuards', () => {
  const taken = { offerId: 'a', priceSats: 40_000 }
  it.each([
    ['the same offer', { offerId: 'a', priceSats: 40_000, netSats: 35_000 }, []],
    ['another offer of the same price', { offerId: 'b', priceSats: 40_000, netSats: 35_000 }, []],
    ['a better offer', { offerId: 'b', priceSats: 60_000, netSats: 54_000 }, ['confirm below-top-offer']],
  ])('checks a sale if the best offer is %s', (_, best, expected) => {
    expect(named(sellGuards(taken, best))).toEqual(expected)
  })

  it('shows no sale guard without a best offer', () => expect(sellGuards(taken, null)).toEqual([]))
})

it('names the risk on every confirm button', () => {
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
    ...bidGuards({ priceSats: 100_000, floorSats: 1, balanceSats: 1 }),
    ...coinGuards([
      { priceSats: 1, collectionSlug: 'a', scopeLabel: null, replaced: true },
      { priceSats: 1, collectionSlug: 'a', scopeLabel: null, replaced: false },
    ]),
    ...inLineGuards(1, { leastSats: 1, mostSats: 1 }, 'Hat'),
    ...collectionGuards({ verificationStatus: 'unverified', sameNameAs: null }),
    ...collectionGuards({ verificationStatus: 'unverified', sameNameAs: { name: 'A' } }),
    ...feeGuards(1, 1),
    ...movedGuards(1, 2, 'buyer'),
  ]
  for (const guard of all) expect(Boolean(guardText(guard).risk), guard.id).toBe(guard.level === 'confirm')
})

describe('tradeGuards', () => {
  const balance = (givesSats: number, getsSats: number) => ({
    givesSats,
    getsSats,
    percent: givesSats > 0 ? (getsSats / givesSats - 1) * 100 : null,
  })

  it.each([
    [100_000, 102_400, []],
    [100_000, 90_001, []],
    [100_000, 90_000, ['confirm uneven']],
    [100_000, 0, ['confirm uneven']],
    [0, 100_000, []],
  ])('compares %i given with %i got', (gives, gets, expected) =>
    expect(named(tradeGuards(balance(gives, gets), []))).toEqual(expected),
  )

  it('names the loss by estimated value', () => {
    const [uneven] = tradeGuards(balance(5_370_000, 4_704_000), [])
    expect(guardText(uneven!)).toEqual({
      title: 'You get 12.4% less than you give.',
      text: 'The difference is 0.00666 BTC by estimated value.',
      risk: '−12.4%',
    })
  })

  it('counts unverified collections, and warns of look-alikes', () => {
    const other = { sameNameAs: null }
    const [note] = tradeGuards(null, [other, other])
    expect(note).toMatchObject({ id: 'unverified', level: 'note' })
    expect(guardText(note!).title).toBe('2 collections are not verified by this market.')
    const [same] = tradeGuards(null, [{ sameNameAs: { name: 'Harbour Lamps' } }, other])
    expect(same).toMatchObject({ id: 'same-name', level: 'confirm' })
    expect(guardText(same!).title).toContain('Harbour Lamps')
  })
})
