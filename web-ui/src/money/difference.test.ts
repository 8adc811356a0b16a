import { expect, it } from 'vitest'
import { difference, shareDown, shareUp } from './difference.ts'

it('formats a difference with a sign and one decimal', () => {
  expect(difference(1124, 1000)).toBe('+12.4%')
  expect(difference(810, 1000)).toBe('−19.0%')
  expect(difference(1000, 1000)).toBe('0.0%')
  expect(difference(999_999, 1_000_000)).toBe('0.0%')
})

it('formats differences above 300 % as a multiple', () => {
  expect(difference(3999, 1000)).toBe('+299.9%')
  expect(difference(4000, 1000)).toBe('4.0x')
  expect(difference(150_000_000_000, 1260)).toBe('119,047,619.0x')
})

it('rounds percentages to the step', () => {
  expect(shareUp(100_000, 101, 1000)).toBe(101_000)
  expect(shareUp(100_001, 101, 1000)).toBe(102_000)
  expect(shareDown(100_000, 90, 1000)).toBe(90_000)
  expect(shareDown(100_009, 90, 1000)).toBe(90_000)
})
