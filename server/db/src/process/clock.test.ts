import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ChainTime, MarketClock } from './clock.ts'

const HOUR = 3_600_000
const START = new Date('2026-11-22T00:00:00Z').getTime()
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Creates a clock whose chain has its tip and median time this many hours after START. */
async function clockAt(
  chain: 'main' | 'regtest',
  tipHours: number,
  medianHours: number,
): Promise<MarketClock> {
  const at = (hours: number) => new Date(START + hours * HOUR)
  const clock = new MarketClock({ chain }, async () => ({ tipAt: at(tipHours), medianAt: at(medianHours) }))
  await clock.refresh()
  return clock
}

it('MarketClock returns the later of wall clock and median time', async () => {
  expect((await clockAt('main', 0, -1)).now().getTime()).toBe(START)
  expect((await clockAt('main', 1, 0.5)).now().getTime()).toBe(START + HOUR / 2)
})

it('MarketClock is settled within two hours of the tip', async () => {
  const settled = await Promise.all(
    [-2.1, -2, 0, 2, 2.1].map(async (tip) => (await clockAt('main', tip, 0)).isSettled()),
  )
  expect(settled).toEqual([false, true, true, true, false])
})

it('MarketClock uses only the wall clock on regtest', async () => {
  const clock = await clockAt('regtest', 100, 100)
  expect([clock.now().getTime(), clock.isSettled()]).toEqual([START, true])
})

it('MarketClock is not settled before the first block', async () => {
  let found: ChainTime | null = null
  let fails = false
  const clock = new MarketClock({ chain: 'main' }, async () => {
    if (fails) throw new Error('no database')
    return found
  })
  await clock.refresh()
  expect(clock.isSettled()).toBe(false)
  found = { tipAt: new Date(START), medianAt: new Date(START) }
  await clock.refresh()
  fails = true
  await expect(clock.refresh()).rejects.toThrow('no database')
  expect(clock.isSettled()).toBe(true)
})
