import { expect, it } from 'vitest'
import { allowanceOf } from './card-queue.ts'

it('allows so many in a row, and then one after the other as time passes', () => {
  let now = 0
  const allowance = allowanceOf(30, () => now)
  const taken = () => {
    let count = 0
    for (; allowance.isLeft(); count++) allowance.take()
    return count
  }
  expect(taken()).toBe(30)
  now += 1_900
  expect(taken()).toBe(0)
  now += 200
  expect(taken()).toBe(1)
  now += 30_000
  expect(taken()).toBe(15)
  // An hour without work makes no more than one minute's.
  now += 3_600_000
  expect(taken()).toBe(30)
})
