import { expect, it } from 'vitest'
import { Rate } from './rate.ts'

it('measures the speed of the last minutes', () => {
  const rate = new Rate()
  for (let second = 0; second <= 1000; second++)
    rate.note(second < 600 ? second : 600 + (second - 600) * 3, second * 1000)
  expect(rate.perSecond()).toBeCloseTo(3, 1)
  expect(rate.secondsLeft(3000)).toBeCloseTo(1000, -2)
})

it('knows no speed before five seconds, or without progress', () => {
  const rate = new Rate()
  rate.note(0, 0)
  rate.note(100, 4000)
  expect([rate.perSecond(), rate.secondsLeft(10)]).toEqual([null, null])
  rate.note(100, 5000)
  expect(rate.perSecond()).toBe(20)
  const stuck = new Rate()
  for (let at = 0; at < 20_000; at += 1000) stuck.note(7, at)
  expect(stuck.secondsLeft(1)).toBe(null)
})

it('keeps one sample a second', () => {
  const rate = new Rate()
  for (let at = 0; at <= 60_000; at++) rate.note(at, at)
  expect(rate.perSecond()).toBe(1000)
  expect((rate as any).samples.length).toBeLessThan(70)
})
