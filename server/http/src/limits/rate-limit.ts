import { throttled } from '@ordbook/db/process/errors.ts'
import { inTime } from '@ordbook/db/process/in-time.ts'
import { createClient } from '@redis/client'
import type { Logger } from 'pino'

/** Requests per window, per IP address and per second key (address or profile). */
export interface Limit {
  perIp: number
  perKey: number
}
export type Limits = Readonly<Record<string, Limit>>

export interface RateLimiter {
  /** Counts a request. Returns the seconds to wait, or null if the request is allowed. */
  take(bucket: string, kind: keyof Limit, key: string): number | null | Promise<number | null>
  /** Returns whether Redis is available; null if it is not used. */
  isUp(): Promise<boolean | null>
  close(): Promise<void>
}

/** Counts a request. Throws `throttled` if the limit is exceeded. */
export async function countRequest(
  limiter: RateLimiter | null,
  bucket: string,
  kind: keyof Limit,
  key: string,
): Promise<void> {
  const wait = await limiter?.take(bucket, kind, key)
  if (wait) throw throttled('rate-limited', 'Too many requests', wait)
}

const WINDOW_MILLISECONDS = 60_000
/** Maximum number of windows. The oldest are deleted first. */
const MAX_KEYS = 100_000

const secondsOf = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000))

/** Counts requests in memory, in windows of 60 seconds that start at the first request. */
export class MemoryLimiter implements RateLimiter {
  private readonly windows = new Map<string, { since: number; count: number }>()
  private readonly limits: Limits
  private readonly now: () => number

  /** `now` is a monotonic clock in milliseconds. */
  constructor(limits: Limits, now: () => number = () => performance.now()) {
    this.limits = limits
    this.now = now
  }

  take(bucket: string, kind: keyof Limit, key: string): number | null {
    const limit = limitOf(this.limits, bucket, kind)
    const name = `${bucket} ${kind} ${key}`
    const now = this.now()
    let window = this.windows.get(name)
    if (!window || now - window.since >= WINDOW_MILLISECONDS) {
      this.windows.delete(name)
      window = { since: now, count: 0 }
      this.windows.set(name, window)
      if (this.windows.size > MAX_KEYS) this.windows.delete(this.windows.keys().next().value!)
    }
    window.count++
    return window.count > limit ? secondsOf(window.since + WINDOW_MILLISECONDS - now) : null
  }

  async isUp(): Promise<null> {
    return null
  }

  async close(): Promise<void> {}
}

function limitOf(limits: Limits, bucket: string, kind: keyof Limit): number {
  const limit = limits[bucket]
  if (!limit) throw new Error(`unknown rate limit ${bucket}`)
  return limit[kind]
}

/**
 * Increments a counter and sets its expiry atomically. Resets the expiry if the clock of Redis was set back.
 */
const COUNT = `
  local count = redis.call('INCR', KEYS[1])
  local left = redis.call('PTTL', KEYS[1])
  local most = tonumber(ARGV[1])
  if left < 0 or left > most then
    redis.call('PEXPIRE', KEYS[1], most)
    left = most
  end
  return {count, left}`

/** Timeout for Redis, in milliseconds. */
const TIMEOUT_MS = 200

/** Counts requests in Redis, shared by all servers. Counts in memory while Redis is unavailable. */
export class RedisLimiter implements RateLimiter {
  private readonly client: ReturnType<typeof createClient>
  private readonly fallback: MemoryLimiter
  private readonly limits: Limits
  private readonly log: Logger
  private reachable = true

  constructor(url: string, limits: Limits, log: Logger) {
    this.limits = limits
    this.log = log
    this.fallback = new MemoryLimiter(limits)
    this.client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 2000, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 5000) },
    })
    this.client.on('error', (error: Error) => this.reportFailure(error))
    this.client.connect().catch((error: Error) => this.reportFailure(error))
  }

  async take(bucket: string, kind: keyof Limit, key: string): Promise<number | null> {
    const limit = limitOf(this.limits, bucket, kind)
    try {
      const [count, left] = await this.count(`ordbook:${bucket}:${kind}:${key}`)
      if (!this.reachable) this.log.info('Redis available, rate limits are shared')
      this.reachable = true
      return count > limit ? secondsOf(left) : null
    } catch (error) {
      this.reportFailure(error)
      return this.fallback.take(bucket, kind, key)
    }
  }

  async isUp(): Promise<boolean> {
    return (await inTime(this.client.ping(), TIMEOUT_MS).catch(() => null)) !== null
  }

  async close(): Promise<void> {
    this.client.destroy()
  }

  private async count(name: string): Promise<[count: number, left: number]> {
    const request = this.client.eval(COUNT, { keys: [name], arguments: [String(WINDOW_MILLISECONDS)] })
    const result = await inTime(request, TIMEOUT_MS)
    if (result === null) throw new Error('Redis timed out')
    return result as [number, number]
  }

  private reportFailure(error: unknown): void {
    if (this.reachable)
      this.log.warn({ err: error }, 'Redis unavailable, counting rate limits in this process')
    this.reachable = false
  }
}
