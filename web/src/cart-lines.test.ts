import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addLines, type CartLine, linesIn, MOST_LINES, removeLines } from './cart-lines.ts'

const line = (inscriptionId: string, priceSats = 1000): CartLine => ({
  inscriptionId,
  listingId: `listing of ${inscriptionId}`,
  slug: 'lamps',
  name: `Lamp ${inscriptionId}`,
  priceSats,
  contentType: null,
})
const idsOf = (lines: readonly CartLine[]) => lines.map((each) => each.inscriptionId)
const someLines = fc.array(
  fc.record({ id: fc.integer({ min: 0, max: 80 }), sats: fc.integer({ min: 1, max: 9 }) }),
  { maxLength: 100 },
)
const linesOf = (made: readonly { id: number; sats: number }[]) =>
  made.map(({ id, sats }) => line(`i${id}`, sats))

describe('a cart', () => {
  it('names each inscription once, with the latest price, and never grows past its bound', () => {
    fc.assert(
      fc.property(someLines, someLines, (first, second) => {
        const before = addLines([], linesOf(first))
        const after = addLines(before, linesOf(second))
        const ids = idsOf(after)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.length).toBe(
          Math.min(MOST_LINES, new Set([...idsOf(before), ...idsOf(linesOf(second))]).size),
        )
        for (const { inscriptionId, priceSats } of after) {
          const latest = linesOf(second).findLast((each) => each.inscriptionId === inscriptionId)
          if (latest) expect(priceSats).toBe(latest.priceSats)
        }
      }),
    )
  })

  it('keeps the order in which lines came, and puts a replaced line at the end', () => {
    const cart = addLines([line('a'), line('b'), line('c')], [line('d'), line('a', 5)])
    expect(idsOf(cart)).toEqual(['b', 'c', 'd', 'a'])
    expect(cart.at(-1)!.priceSats).toBe(5)
    expect(idsOf(removeLines(cart, ['c', 'a', 'absent']))).toEqual(['b', 'd'])
  })
})

describe('a kept cart', () => {
  it('comes back as it was kept', () => {
    const cart = [line('a'), { ...line('b'), contentType: 'image/png' }]
    expect(linesIn(JSON.parse(JSON.stringify(cart)))).toEqual(cart)
  })

  it.each([null, 7, 'text', {}, { lines: [] }])('is empty where %j was kept', (value) => {
    expect(linesIn(value)).toEqual([])
  })

  it('loses each line that no page wrote', () => {
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
    expect(linesIn(Array.from({ length: 100 }, (_, n) => line(`i${n}`)))).toHaveLength(MOST_LINES)
  })
})
