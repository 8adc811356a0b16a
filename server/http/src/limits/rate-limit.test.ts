import { afterEach, expect, it, vi } from 'vitest'
import { MemoryLimiter } from './rate-limit.ts'

afterEach(() => vi.restoreAllMocks())

it('MemoryLimiter ignores changes of the wall clock', () => {
  const limiter = new MemoryLimiter({ reads: { perIp: 1, perKey: 1 } })
  expect(limiter.take('reads', 'perIp', 'a')).toBeNull()
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now - 3_600_000)
  const wait = limiter.take('reads', 'perIp', 'a')
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
})

it('MemoryLimiter starts a new window after a minute', () => {
  let now = 0
  const limiter = new MemoryLimiter({ reads: { perIp: 2, perKey: 2 } }, () => now)
  const take = () => limiter.take('reads', 'perIp', 'a')
  expect([take(), take(), take()]).toEqual([null, null, 60])
  now = 59_999
  expect(take()).toBe(1)
  now = 60_000
  expect(take()).toBeNull()
})

it('MemoryLimiter throws for an unknown bucket', () => {
  const limiter = new MemoryLimiter({ reads: { perIp: 1, perKey: 1 } })
  expect(() => limiter.take('unknown', 'perIp', 'a')).toThrow('unknown rate limit unknown')
})
