import { expect, it } from 'vitest'
import { totalOf } from './own-total.ts'

const sale = (side: 'bought' | 'sold', priceSats: number, feesSats: number | null) => ({
  side,
  priceSats,
  feesSats,
})

it('adds the fees of a buyer and subtracts those of a seller', () => {
  expect(totalOf([sale('bought', 90_000, 900), sale('bought', 10_000, 100)])).toBe(101_000)
  expect(totalOf([sale('sold', 90_000, 900)])).toBe(89_100)
  expect(totalOf([sale('sold', 90_000, 900), sale('sold', 10_000, null)])).toBeNull()
})
