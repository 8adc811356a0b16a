import { describe, expect, it } from 'vitest'
import { bracketsOf } from './book-levels.ts'

const level = (...offers: [string, ...string[]][]) => ({
  offers: offers.map(([offerId, ...sharesCoinWith]) => ({ offerId, sharesCoinWith })),
})

describe('bracketsOf', () => {
  it('groups bids that share a coin', () => {
    expect(
      bracketsOf([level(['a', 'c', 'd']), level(['b']), level(['c', 'a', 'd'], ['d', 'a', 'c'])]),
    ).toEqual([{ from: 0, to: 2, members: new Set([0, 2]), offers: 3, isOne: true }])
  })

  it('is not `isOne` for three bids on two coins', () => {
    expect(bracketsOf([level(['a', 'b']), level(['b', 'a', 'c']), level(['c', 'b'])])).toMatchObject([
      { from: 0, to: 2, offers: 3, isOne: false },
    ])
  })

  it('omits bids without shared coins', () => {
    expect(
      bracketsOf([level(['a', 'b']), level(['c', 'd']), level(['b', 'a']), level(['d', 'c'])]),
    ).toMatchObject([
      { from: 0, to: 2, offers: 2 },
      { from: 1, to: 3, offers: 2 },
    ])
    expect(bracketsOf([level(['a', 'unseen']), level(['b'])])).toEqual([])
  })
})
