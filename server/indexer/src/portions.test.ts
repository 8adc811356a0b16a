import { expect, it } from 'vitest'
import { PORTION_BYTES, portions } from './portions.ts'

it('portions ends a portion at its maximum rows and bytes', () => {
  expect([...portions([], 2)]).toEqual([])
  expect([...portions([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]])
  const half = PORTION_BYTES / 2
  const sizes = [half, half, 1, PORTION_BYTES + 1, 1]
  expect([...portions(sizes, 10, (size) => size)]).toEqual([[half, half], [1], [PORTION_BYTES + 1], [1]])
})
