import type { Bucket } from '@ordbook/contract/operation.ts'
import { createClient } from '@redis/client'
import type { Logger } from 'pino'

/** Requests a window: by source IP, and by the second key (address or profile). */
export interface Limit {
  perIp: number
  perKey: number
}
export type Limits = Record<Bucket, Limit>

export interface RateLimiter {
  /** Counts a request; gives the seconds to wait when it is one too many, else null. */
  take(bucket: Bucket, kind: keyof Limit, key: string): number | null | Promise<number | null>
  close(): Promise<void>
}

const WINDOW_MILLISECONDS = 60_000
/** Keys held at most; past it the oldest windows go, which only ever forgives. */
const MOST_KEYS = 100_000

const secondsOf = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000))

/** Fixed windows of 60 seconds from the first request, in memory: each process counts for itself. */
export class MemoryLimiter implements RateLimiter {
  private readonly windows = new Map<string, { since: number; count: number }>()
  private readonly limits: Limits
  private readonly now: () => number

  constructor(limits: Limits, now: () => number = Date.now) {
    this.limits = limits
    this.now = now
  }

  take(bucket: Bucket, kind: keyof Limit, key: string): number | null {
    const name = `${bucket} ${kind} ${key}`
    const now = this.now()
    let window = this.windows.get(name)
    if (!window || now - window.since >= WINDOW_MILLISECONDS) {
      this.windows.delete(name)
      window = { since: now, count: 0 }
      this.windows.set(name, window)
      if (this.windows.size > MOST_KEYS) this.windows.delete(this.windows.keys().next().value!)
    }
    window.count++
    return window.count > this.limits[bucket][kind]
      ? secondsOf(window.since + WINDOW_MILLISECONDS - now)
      : null
  }

  async close(): Promise<void> {}
}

/** Counts and, with the first of a window, starts its end; both at once, so that no window is left without one. */
const COUNT = `
  local count = redis.call('INCR', KEYS[1])
  if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return {count, redis.call('PTTL', KEYS[1])}`

/** How long Redis may take to answer before this process counts for itself, in milliseconds. */
const PATIENCE = 200

/** The same windows in Redis, shared by every server. While Redis does not answer, each process counts for itself. */
export class RedisLimiter implements RateLimiter {
  private readonly client: ReturnType<typeof createClient>
  private readonly own: MemoryLimiter
  private readonly limits: Limits
  private readonly log: Logger
  private reachable = true

  constructor(url: string, limits: Limits, log: Logger) {
    this.limits = limits
    this.log = log
    this.own = new MemoryLimiter(limits)
    this.client = createClient({
      url,
      disableOfflineQueue: true,
      socket: { connectTimeout: 2000, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 5000) },
    })
    this.client.on('error', (error: Error) => this.notice(error))
    this.client.connect().catch((error: Error) => this.notice(error))
  }

  async take(bucket: Bucket, kind: keyof Limit, key: string): Promise<number | null> {
    try {
      const [count, left] = await this.count(`ordbook:${bucket}:${kind}:${key}`)
      if (!this.reachable) this.log.info('rate limits are shared by Redis again')
      this.reachable = true
      return count > this.limits[bucket][kind] ? secondsOf(left) : null
    } catch (error) {
      this.notice(error)
      return this.own.take(bucket, kind, key)
    }
  }

  async close(): Promise<void> {
    this.client.destroy()
  }

  private async count(name: string): Promise<[count: number, left: number]> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Redis takes too long')), PATIENCE)
    })
    try {
      const asked = this.client.eval(COUNT, { keys: [name], arguments: [String(WINDOW_MILLISECONDS)] })
      return (await Promise.race([asked, late])) as [number, number]
    } finally {
      clearTimeout(timer)
    }
  }

  private notice(error: unknown): void {
    if (this.reachable)
      this.log.warn({ err: error }, 'Redis does not answer: this process counts its requests itself')
    this.reachable = false
  }
}
