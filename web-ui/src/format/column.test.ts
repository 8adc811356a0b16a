import fc from 'fast-check'
import { expect, it } from 'vitest'
import { btcIn, columnUnit } from './column.ts'

it('formats every amount with the same number of decimals', () => {
  expect([126_000, 132_300, 138_915].map((sats) => btcIn(sats, 5, 'en'))).toEqual([
    '0.00126',
    '0.00132',
    '0.00139',
  ])
  expect(btcIn(100_000_000, 5, 'en')).toBe('1.00000')
  expect(btcIn(242_000, 8, 'de')).toBe('0,00242000')
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_100_000_000_000_000 }), (sats) => {
      const [, fraction] = btcIn(sats, 5, 'en').split('.')
      expect(fraction).toHaveLength(5)
    }),
  )
})

it('is in sats as a whole if an amount is below 0.001 BTC', () => {
  expect(columnUnit([100_000, 2_000_000, null])).toBe('btc')
  expect(columnUnit([99_999, 2_000_000])).toBe('sats')
  expect(columnUnit([])).toBe('btc')
})
