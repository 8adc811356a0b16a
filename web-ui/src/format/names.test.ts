import fc from 'fast-check'
import { expect, it } from 'vitest'
import { middle } from './names.ts'

it.each([
  ['Keeper #2207', 24, 'Keeper #2207'],
  ['Living Fields Generation One #423', 20, 'Living Fields G… #423'],
  ['x'.repeat(1225), 20, `${'x'.repeat(15)}… xxxx`],
])('shortens a long name in the middle (%#)', (name, most, text) => {
  expect(middle(name, most)).toBe(text)
})

it('never splits a character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.integer({ min: 8, max: 120 }),
      (name, most) => {
        const cut = middle(name, most)
        expect([...new Intl.Segmenter('en').segment(cut)].length).toBeLessThanOrEqual(Math.max(most, 0) + 1)
        expect(cut.isWellFormed()).toBe(name.isWellFormed())
      },
    ),
  )
})
