import fc from 'fast-check'
import { expect, it } from 'vitest'
import { heldAt, historyOf } from './portfolio-history.ts'

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour))
const times = [at(0), at(10), at(20)]

it('splits the change into prices and items', () => {
  // Held throughout: +5. Sold after the start: 30. Bought before the end: 50.
  const values: Record<string, (number | null)[]> = {
    kept: [10, 12, 15],
    sold: [30, 30, 99],
    bought: [40, 45, 50],
  }
  const history = historyOf({
    times,
    held: ['kept', 'bought'],
    transfers: [
      { inscriptionId: 'bought', at: at(15), isAway: false },
      { inscriptionId: 'sold', at: at(5), isAway: true },
    ],
    valueAt: (id, n) => values[id]![n]!,
  })
  expect(history).toEqual({
    valueSats: 65,
    valuedCount: 2,
    unvaluedCount: 0,
    priceChangeSats: 5,
    itemChangeSats: 20,
    points: [
      { at: at(0), valueSats: 40 },
      { at: at(10), valueSats: 12 },
      { at: at(20), valueSats: 65 },
    ],
  })
})

it('starts at the first known value and counts items of unknown value', () => {
  const history = historyOf({
    times,
    held: ['item', 'unlisted'],
    transfers: [],
    valueAt: (id, n) => (id === 'item' && n > 0 ? 7 : null),
  })
  expect(history).toMatchObject({ valueSats: 7, valuedCount: 1, unvaluedCount: 1, priceChangeSats: 0 })
  expect(history.points.map((point) => point.at)).toEqual([at(10), at(20)])
})

it('has no points without a known value', () => {
  const nothing = historyOf({ times, held: ['unlisted'], transfers: [], valueAt: () => null })
  expect(nothing).toMatchObject({ valueSats: 0, valuedCount: 0, unvaluedCount: 1, points: [] })
})

it('finds the items held at any time', () => {
  const move = fc.record({ item: fc.constantFrom('a', 'b', 'c'), hour: fc.integer({ min: 1, max: 23 }) })
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 20 }),
      fc.integer({ min: 0, max: 23 }),
      fc.subarray(['a', 'b', 'c']),
      (moves, hour, initial) => {
        // Each move changes whether its item is held.
        const inOrder = moves.toSorted((one, other) => one.hour - other.hour)
        const held = new Set(initial)
        const expected = new Set(initial)
        const transfers = inOrder.map(({ item, hour: moved }) => {
          const isAway = held.has(item)
          if (isAway) held.delete(item)
          else held.add(item)
          if (moved <= hour) {
            if (isAway) expected.delete(item)
            else expected.add(item)
          }
          return { inscriptionId: item, at: at(moved), isAway }
        })
        const found = heldAt({ held: [...held], transfers: transfers.toReversed() }, at(hour))
        expect(found.toSorted()).toEqual([...expected].toSorted())
      },
    ),
  )
})
