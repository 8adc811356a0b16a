import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fullTime, money } from '../format/format.ts'
import { type Agreement, itemsOf, type TradedItem } from './agreement.ts'
import { footnoteOf, headingOf, laterOf, laterWhen, sentence, titleOf } from './sentence.ts'

/** Names without digits, so that each number of a sentence has to come from elsewhere in the agreement. */
const NAMES = 'abcdefghijklmnopqrstuvwxyz'
const traded = (n: number, goes: TradedItem['goes'], listedForSats: number | null): TradedItem => ({
  inscriptionId: `${n}`.padStart(64, '0').concat('i0'),
  name: `Lamp ${NAMES[n % 26]}${NAMES[(n * 7) % 26]}`,
  contentType: null,
  collection: null,
  outpoint: `${n}:0`,
  offset: 0,
  valueSats: 10_000,
  carries: [],
  listedForSats,
  goes,
})

const sats = fc.integer({ min: 1, max: 2_100_000_000_000 })
const items = (goes: TradedItem['goes'], least = 1) =>
  fc
    .array(fc.option(sats, { freq: 3 }), { minLength: least, maxLength: 24 })
    .map((listed) => listed.map((listedForSats, n) => traded(n, goes, listedForSats)))
const item = (goes: TradedItem['goes']) => fc.constant(traded(3, goes, null))
const priced = (goes: TradedItem['goes']) =>
  items(goes).chain((all) =>
    fc
      .array(sats, { minLength: all.length, maxLength: all.length })
      .map((prices) => all.map((each, n) => ({ item: each, priceSats: prices[n]! }))),
  )

const agreements: fc.Arbitrary<Agreement> = fc.oneof(
  priced('arrives').map((bought) => ({ kind: 'buy' as const, bought })),
  fc
    .record({ listed: priced('leaves'), isInEscrow: fc.boolean(), days: fc.constantFrom(1, 7, 30) })
    .map((all) => ({ kind: 'list' as const, ...all })),
  fc.record({ kind: fc.constant('offer' as const), item: item('arrives'), priceSats: sats }),
  fc.record({
    kind: fc.constant('bid' as const),
    about: fc.constant('Harbour Lamps'),
    pricesSats: fc.array(sats, { minLength: 1, maxLength: 10 }),
  }),
  fc.record({
    kind: fc.constantFrom('accept' as const, 'sell' as const, 'counter' as const, 'accept-counter' as const),
    item: item('leaves'),
    priceSats: sats,
  }),
  fc.record({
    kind: fc.constant('swap' as const),
    gives: items('leaves', 0),
    gets: items('arrives', 0),
    netSats: fc.oneof(
      fc.constant(0),
      sats,
      sats.map((each) => -each),
    ),
    completes: fc.boolean(),
    endsAt: fc.constantFrom(null, '2026-12-05T17:40:00Z'),
  }),
  fc.record({
    kind: fc.constantFrom('withdraw' as const, 'move' as const, 'exit' as const, 'split' as const),
    items: items('stays'),
    maxNetworkSats: sats,
  }),
)

const PLURALS = /\b(\d[\d,]*) (items?|listings?|offers?|days?|collection offers?)\b/g
const NUMBERS = /\d[\d,.]*\d|\d/g

const numbersIn = (text: string) => [...text.matchAll(NUMBERS)].map(([found]) => Number(found))

/** Every count and amount that the agreement contains, as texts. */
function numbersOf(agreement: Agreement): Set<string> {
  const amounts: number[] = []
  const counts: number[] = [itemsOf(agreement).length]
  switch (agreement.kind) {
    case 'buy':
      amounts.push(agreement.bought.reduce((sum, { priceSats }) => sum + priceSats, 0))
      break
    case 'list':
      amounts.push(...agreement.listed.flatMap(({ item: { listedForSats } }) => listedForSats ?? []))
      if (agreement.listed.length === 1) amounts.push(agreement.listed[0]!.priceSats)
      counts.push(agreement.days)
      break
    case 'bid':
      amounts.push(Math.max(...agreement.pricesSats), Math.min(...agreement.pricesSats))
      counts.push(agreement.pricesSats.length)
      break
    case 'swap':
      amounts.push(Math.abs(agreement.netSats))
      counts.push(agreement.gives.length, agreement.gets.length)
      if (agreement.endsAt) counts.push(...numbersIn(fullTime(agreement.endsAt)))
      break
    case 'withdraw':
    case 'move':
    case 'exit':
    case 'split':
      amounts.push(agreement.maxNetworkSats)
      break
    default:
      amounts.push(agreement.priceSats)
  }
  return new Set([...amounts.map((each) => money(each).replace(' BTC', '')), ...counts.map(String)])
}

const textsOf = (agreement: Agreement) => [
  headingOf(agreement),
  titleOf(agreement),
  sentence(agreement),
  footnoteOf(agreement),
  laterWhen(agreement),
  ...Object.values(laterOf(agreement) ?? {}),
]

it('contains only numbers of the agreement', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      const known = numbersOf(agreement)
      for (const text of textsOf(agreement))
        for (const [found] of text.matchAll(NUMBERS)) expect(known, `${found} in "${text}"`).toContain(found)
    }),
    { numRuns: 1000 },
  )
})

it('states the price, and for several items their total', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      const text = sentence(agreement)
      if ('priceSats' in agreement) expect(text).toContain(money(agreement.priceSats))
      if (agreement.kind === 'buy')
        expect(text).toContain(money(agreement.bought.reduce((sum, { priceSats }) => sum + priceSats, 0)))
      if (agreement.kind === 'swap' && agreement.netSats !== 0)
        expect(text).toContain(
          agreement.netSats < 0
            ? `${money(-agreement.netSats)} and receive`
            : `${money(agreement.netSats)}. Both sides move`,
        )
    }),
  )
})

it('says when a trade ends that the other side has not signed', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      if (agreement.kind !== 'swap' || agreement.endsAt === null) return
      expect(sentence(agreement).includes(fullTime(agreement.endsAt))).toBe(!agreement.completes)
    }),
  )
})

it('names the transactions of a sale through escrow, in its number', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      const text = sentence(agreement)
      const goesThrough = agreement.kind === 'counter' || (agreement.kind === 'list' && !agreement.isInEscrow)
      expect(text.includes('the move to escrow')).toBe(goesThrough)
      if (goesThrough) expect(text.includes('each sale')).toBe(itemsOf(agreement).length > 1)
    }),
  )
})

it('uses the plural that follows from each number', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      for (const text of textsOf(agreement))
        for (const [whole, count, noun] of text.matchAll(PLURALS))
          expect(noun!.endsWith('s'), `${whole} in "${text}"`).toBe(count !== '1')
    }),
    { numRuns: 1000 },
  )
})

it('uses one grammatical number for one item and the other for several', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      const text = sentence(agreement)
      const { length } = itemsOf(agreement)
      if (agreement.kind === 'list')
        expect([text.includes('independent'), text.includes('each at its price')]).toEqual([
          length > 1,
          length > 1,
        ])
      if (['withdraw', 'move', 'exit'].includes(agreement.kind))
        expect(/ (returns|moves) to /.test(text)).toBe(length === 1)
    }),
  )
})

it('states that everything moves together only for a swap', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      expect(/\btogether\b/.test(sentence(agreement).replace('end together', ''))).toBe(
        agreement.kind === 'swap',
      )
    }),
  )
})

it('describes later moves exactly if the trade is not sent now', () => {
  fc.assert(
    fc.property(agreements, (agreement) => {
      expect(laterOf(agreement) !== null).toBe(['list', 'offer', 'bid', 'counter'].includes(agreement.kind))
    }),
  )
})
