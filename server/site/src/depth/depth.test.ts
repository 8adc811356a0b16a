import { expect, it } from 'vitest'
import { levelsOf } from './depth.ts'

const bid = (offerId: string, priceSats: number, ...coins: string[]) => ({
  offerId,
  priceSats,
  scopeLabel: 'Collection',
  coins,
})

it('levelsOf counts bids on one coin once', () => {
  const levels = levelsOf([bid('a', 30, 'x'), bid('b', 30, 'y'), bid('c', 20, 'x', 'z'), bid('d', 10, 'z')])
  expect(levels).toEqual([
    {
      priceSats: 30,
      items: 2,
      cumulatedItems: 2,
      cumulatedSats: 60,
      offers: [
        { offerId: 'a', scopeLabel: 'Collection', sharesCoinWith: ['c'] },
        { offerId: 'b', scopeLabel: 'Collection', sharesCoinWith: [] },
      ],
    },
    {
      priceSats: 20,
      items: 1,
      cumulatedItems: 2,
      cumulatedSats: 60,
      offers: [{ offerId: 'c', scopeLabel: 'Collection', sharesCoinWith: ['a', 'd'] }],
    },
    {
      priceSats: 10,
      items: 1,
      cumulatedItems: 3,
      cumulatedSats: 70,
      offers: [{ offerId: 'd', scopeLabel: 'Collection', sharesCoinWith: ['c'] }],
    },
  ])
})

it('levelsOf limits the bids per level', () => {
  const [level] = levelsOf(Array.from({ length: 1000 }, (_, n) => bid(`o${n}`, 10, 'x')))
  expect(level).toMatchObject({ items: 1000, cumulatedItems: 1 })
  expect(level!.offers).toHaveLength(20)
  expect(level!.offers[15]!.sharesCoinWith).toHaveLength(10)
})
