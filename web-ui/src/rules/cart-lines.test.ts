import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addLines,
  type CartLine,
  healLines,
  linesIn,
  MAX_AT_ONCE,
  MAX_LINES,
  purchasesOf,
  removeLines,
} from './cart-lines.ts'

const line = (inscriptionId: string, priceSats = 1000): CartLine => ({
  inscriptionId,
  listingId: `listing of ${inscriptionId}`,
  slug: 'lamps',
  name: `Lamp ${inscriptionId}`,
  priceSats,
  contentType: null,
})
const idsOf = (lines: readonly CartLine[]) => lines.map((line) => line.inscriptionId)
const someLines = fc.array(
  fc.record({ id: fc.integer({ min: 0, max: 80 }), sats: fc.integer({ min: 1, max: 9 }) }),
  { maxLength: 100 },
)
const linesOf = (made: readonly { id: number; sats: number }[]) =>
  made.map(({ id, sats }) => line(`i${id}`, sats))

describe('addLines', () => {
  it('keeps the latest price per inscription', () => {
    fc.assert(
      fc.property(someLines, someLines, (first, second) => {
        const before = addLines([], linesOf(first))
        const after = addLines(before, linesOf(second))
        const ids = idsOf(after)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.length).toBe(
          Math.min(MAX_AT_ONCE, new Set([...idsOf(before), ...idsOf(linesOf(second))]).size),
        )
        for (const { inscriptionId, priceSats } of after) {
          const latest = linesOf(second).findLast((each) => each.inscriptionId === inscriptionId)
          if (latest) expect(priceSats).toBe(latest.priceSats)
        }
      }),
    )
  })

  it('moves a replaced line to the end', () => {
    const cart = addLines([line('a'), line('b'), line('c')], [line('d'), line('a', 5)])
    expect(idsOf(cart)).toEqual(['b', 'c', 'd', 'a'])
    expect(cart.at(-1)!.priceSats).toBe(5)
    expect(idsOf(removeLines(cart, ['c', 'a', 'absent']))).toEqual(['b', 'd'])
  })
})

describe('linesIn', () => {
  it('restores a stored cart unchanged', () => {
    const cart = [line('a'), { ...line('b'), contentType: 'image/png' }]
    expect(linesIn(JSON.parse(JSON.stringify(cart)))).toEqual(cart)
  })

  it.each([null, 7, 'text', {}, { lines: [] }])('returns an empty cart for the stored value %j', (value) => {
    expect(linesIn(value)).toEqual([])
  })

  it('drops malformed lines', () => {
    const bad: unknown[] = [
      null,
      'a',
      {},
      { ...line('a'), priceSats: 0 },
      { ...line('a'), priceSats: -1 },
      { ...line('a'), priceSats: 1.5 },
      { ...line('a'), priceSats: '1000' },
      { ...line('a'), listingId: undefined },
      { ...line('a'), slug: '' },
      { ...line('a'), contentType: 7 },
    ]
    for (const each of bad) expect(linesIn([each, line('b')]), JSON.stringify(each)).toEqual([line('b')])
    const some = Array.from({ length: 100 }, (_, n) => ({ ...line(`i${n}`), slug: `lamps ${n % 4}` }))
    expect(linesIn(some)).toHaveLength(MAX_LINES)
    expect(linesIn(some.map((each) => ({ ...each, slug: 'lamps' })))).toHaveLength(MAX_AT_ONCE)
  })
})

describe('healLines', () => {
  const [a, b, c] = [line('a'), line('b'), line('c')]

  it('drops ended listings', () => {
    const replacedBy = { listingId: 'another', priceSats: 1500 }
    const healed = healLines(
      [a, b, c],
      [
        { listingId: a.listingId, reason: 'sold', replacedBy: null },
        { listingId: c.listingId, reason: 'repriced', replacedBy },
        { listingId: 'of nothing here', reason: 'sold', replacedBy: null },
      ],
    )
    expect(healed.lines).toEqual([b, { ...c, ...replacedBy }])
    expect(healed.changes).toEqual([
      { line: a, reason: 'sold', priceSats: null },
      { line: c, reason: 'repriced', priceSats: 1500 },
    ])
  })

  it('is idempotent', () => {
    const gone = [{ listingId: a.listingId, reason: 'sold', replacedBy: null }]
    expect(healLines(healLines([a, b], gone).lines, gone)).toEqual({ lines: [b], changes: [] })
  })

  it('rejects a 21st item of a collection', () => {
    const twenty = Array.from({ length: MAX_AT_ONCE }, (_, n) => line(`i${n}`))
    const tide = { ...line('tide'), slug: 'tides' }
    const cart = addLines(twenty, [line('one more'), tide])
    expect(idsOf(cart)).toEqual([...idsOf(twenty), 'tide'])
    // A line that is already in the cart does not count as the 21st.
    expect(addLines(cart, [line('i3', 5)])).toHaveLength(21)
  })

  it('splits a cart into purchases', () => {
    const many = Array.from({ length: 41 }, (_, n) => line(`i${n}`))
    const tide = { ...line('tide'), slug: 'tides' }
    const purchases = purchasesOf([...many, tide])
    expect(purchases.map(({ slug, lines }) => [slug, lines.length])).toEqual([
      ['lamps', 20],
      ['lamps', 20],
      ['lamps', 1],
      ['tides', 1],
    ])
    expect(purchases.flatMap(({ lines }) => lines)).toEqual([...many, tide])
  })
})
