import { expect, it } from 'vitest'
import { plural } from './plural.ts'

const items = { one: '# item', other: '# items' }

it.each([
  [0, '0 items'],
  [1, '1 item'],
  [2, '2 items'],
  [2318, '2,318 items'],
])('plural(%i) is "%s"', (count, text) => {
  expect(plural(count, items)).toBe(text)
})
