import type { Bucket } from '@ordbook/contract/operation.ts'

/** Requests a window for each bucket: by source IP, and by the second key (address or profile). */
export const LIMITS: Record<Bucket, { perIp: number; perKey: number }> = {
  'auth-challenge': { perIp: 20, perKey: 5 },
  'auth-verify': { perIp: 20, perKey: 5 },
  reads: { perIp: 60, perKey: 30 },
  writes: { perIp: 20, perKey: 8 },
}

const WINDOW_SECONDS = 60
/** Keys held at most; past it the oldest windows go, which only ever forgives. */
const MOST_KEYS = 100_000

/** Fixed windows of 60 seconds, in memory. */
export class RateLimiter {
  private readonly windows = new Map<string, { since: number; count: number }>()
  private readonly now: () => number

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  /** Counts a request; gives the seconds to wait when it is one too many, else null. */
  take(bucket: Bucket, kind: 'perIp' | 'perKey', key: string): number | null {
    const name = `${bucket} ${kind} ${key}`
    const now = this.now()
    let window = this.windows.get(name)
    if (!window || now - window.since >= WINDOW_SECONDS * 1000) {
      this.windows.delete(name)
      window = { since: now, count: 0 }
      this.windows.set(name, window)
      if (this.windows.size > MOST_KEYS) this.windows.delete(this.windows.keys().next().value!)
    }
    window.count++
    return window.count > LIMITS[bucket][kind]
      ? Math.max(1, Math.ceil((window.since + WINDOW_SECONDS * 1000 - now) / 1000))
      : null
  }
}
