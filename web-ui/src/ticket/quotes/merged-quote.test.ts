import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mergedQuote } from './merged-quote.ts'
import type { ShownQuote } from './purchase-quote.ts'

const quote = fc
  .record({
    bill: fc.array(
      fc.record({
        kind: fc.constantFrom<ShownQuote['bill'][number]['kind']>(
          'price',
          'marketplaceFee',
          'creatorRoyalty',
        ),
        sats: fc.integer({ min: -1e9, max: 1e9 }),
        rateBps: fc.constantFrom(null, 100, 500),
      }),
      { maxLength: 4 },
    ),
    inscriptionUtxoValueSats: fc.integer({ min: 0, max: 20_000 }),
  })
  .map((each) => ({ ...each, totalSats: sumOf(each.bill) }))
const sumOf = (bill: ShownQuote['bill']) => bill.reduce((sum, { sats }) => sum + sats, 0)

it('adds up rows, totals and postage', () => {
  fc.assert(
    fc.property(fc.array(quote, { maxLength: 6 }), (quotes) => {
      const merged = mergedQuote(quotes)
      expect(merged.totalSats).toBe(quotes.reduce((sum, { totalSats }) => sum + totalSats, 0))
      expect(sumOf(merged.bill)).toBe(merged.totalSats)
      expect(merged.inscriptionUtxoValueSats).toBe(
        quotes.reduce((sum, each) => sum + each.inscriptionUtxoValueSats, 0),
      )
      const rows = merged.bill.map(({ kind, rateBps }) => `${kind} ${rateBps}`)
      expect(new Set(rows).size).toBe(rows.length)
    }),
  )
})
