import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  BAR_PERCENT,
  type Board,
  type BoardItem,
  balanceOf,
  barPart,
  estimateOf,
  MAX_TILES,
  shownTiles,
  unverifiedIn,
} from './board.ts'

const item = (key: string, more: Partial<BoardItem> = {}): BoardItem => ({
  key,
  name: key,
  criteria: null,
  quantity: 1,
  pictureId: null,
  contentType: null,
  hint: null,
  inscriptionId: null,
  collection: null,
  traitFloorSats: null,
  floorSats: null,
  ...more,
})
const of = (
  slug: string,
  verificationStatus: 'verified' | 'unverified' | null,
  sameAs: string | null = null,
) => ({
  slug,
  collectionName: slug,
  verificationStatus,
  sameNameAs: sameAs === null ? null : { name: sameAs, slug: sameAs },
})

const sats = fc.integer({ min: 1, max: 2_100_000_000_000_000 / 200 })
const price = fc.option(sats)
const items = fc
  .array(fc.record({ quantity: fc.integer({ min: 1, max: 50 }), traitFloorSats: price, floorSats: price }), {
    maxLength: 12,
  })
  .map((all) => all.map((each, n) => item(`${n}`, each)))
const board: fc.Arbitrary<Board> = fc.record({ items, btcSats: fc.option(sats).map((each) => each ?? 0) })

it('values an item at its trait floor, otherwise at the floor', () => {
  expect(estimateOf({ traitFloorSats: 300, floorSats: 100 })).toEqual({ word: 'trait floor', sats: 300 })
  expect(estimateOf({ traitFloorSats: null, floorSats: 100 })).toEqual({ word: 'floor', sats: 100 })
  expect(estimateOf({ traitFloorSats: null, floorSats: null })).toBeNull()
})

it('adds up tiles, and compares both sides', () => {
  fc.assert(
    fc.property(board, board, (gives, gets) => {
      const { givesSats, getsSats, percent, unpriced } = balanceOf({ gives, gets })
      const sum = (side: Board) =>
        side.items.reduce((all, each) => all + (estimateOf(each)?.sats ?? 0) * each.quantity, side.btcSats)
      expect([givesSats, getsSats]).toEqual([sum(gives), sum(gets)])
      const without = ({ items }: Board) =>
        items.reduce((all, each) => all + (estimateOf(each) ? 0 : each.quantity), 0)
      expect(unpriced).toBe(without(gives) + without(gets))
      // A loss is known if everything that arrives has a price; a gain if everything has one.
      if (givesSats === 0 || without(gets) > 0) expect(percent).toBeNull()
      else if (without(gives) > 0 && getsSats >= givesSats) expect(percent).toBeNull()
      else expect(Math.sign(percent!)).toBe(Math.sign(getsSats - givesSats))
    }),
  )
})

it('fills half of the bar from 20% on', () => {
  expect([0, 5, -10, BAR_PERCENT, -52.1, 300].map(barPart)).toEqual([0, 12.5, 25, 50, 50, 50])
})

it('shows at most six tiles, of which BTC is one', () => {
  fc.assert(
    fc.property(board, (side) => {
      const shown = shownTiles(side)
      expect(shown.items.length + shown.more).toBe(side.items.length)
      const tiles = shown.items.length + (side.btcSats > 0 ? 1 : 0)
      expect(tiles).toBeLessThanOrEqual(MAX_TILES)
      if (shown.more > 0) expect(tiles).toBe(MAX_TILES)
    }),
  )
})

it('names unverified collections once, look-alikes first', () => {
  const gives = {
    items: [
      item('a', { collection: of('buoys', 'unverified') }),
      item('b', { collection: of('lamps', 'verified') }),
    ],
    btcSats: 0,
  }
  const gets = {
    items: [
      item('c', { collection: of('buoys', 'unverified') }),
      item('d', { collection: of('lamps-2', 'unverified', 'Lamps') }),
      item('e'),
    ],
    btcSats: 5,
  }
  expect(unverifiedIn({ gives, gets }).map(({ slug }) => slug)).toEqual(['lamps-2', 'buoys'])
})
