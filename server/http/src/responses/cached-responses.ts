import type { Logger } from 'pino'
import type { CachedResponse, ResponseCache } from '../context.ts'
import { Changes, EVERYTHING } from './changes.ts'

interface CacheEntry extends CachedResponse {
  builtAt: Date
}

const OVERHEAD_BYTES = 1000
/**
 * Returns the memory of an entry in bytes. The name is client input, has up to two bytes per character and
 * is in both maps.
 */
const bytesOf = (name: string, { body }: CachedResponse) => body.length + 2 * name.length + OVERHEAD_BYTES
const MAX_TAGS = 100_000

/**
 * In-memory response cache that never returns stale data. Triggers announce every change of the data in
 * responses. Each request waits for a fence: all announcements committed before the fence have then arrived
 * (changes.ts). Without a listening connection, the cache is bypassed.
 */
export class CachedResponses implements ResponseCache {
  private readonly changes: Changes
  private readonly maxBytes: number
  private readonly entries = new Map<string, CacheEntry>()
  private readonly keysByTag = new Map<string, Set<string>>()
  private bytes = 0
  /**
   * Number of announcements, and number of the last announcement of each tag. A response is not cached if
   * one of its tags changed while it was built.
   */
  private announced = 0
  private lastAnnounced = new Map<string, number>()
  private allAnnounced = 0

  constructor(databaseUrl: string, options: { maxBytes: number; log: Logger; hasReplica?: boolean }) {
    this.maxBytes = options.maxBytes
    this.changes = new Changes(databaseUrl, { ...options, onTag: (tag) => this.drop(tag) })
  }

  /**
   * Returns a WAL position of the primary that includes every change committed before the call; null if the
   * primary does not respond.
   */
  position(): Promise<number | null> {
    return this.changes.position()
  }

  /** Returns the cached response of a key, or builds and caches it if there is no valid one. */
  async read(
    key: readonly unknown[],
    now: () => Date,
    build: () => Promise<CachedResponse>,
  ): Promise<Buffer> {
    if (this.maxBytes === 0 || !(await this.changes.fence())) return (await build()).body
    const name = JSON.stringify(key)
    const entry = this.entries.get(name)
    if (entry) {
      const at = now()
      // If the entry was built in the future, the clock was set back. The response may omit orders that are
      // active at the current time.
      if (entry.builtAt <= at && (entry.validUntil === null || entry.validUntil > at)) {
        this.entries.delete(name)
        this.entries.set(name, entry)
        return entry.body
      }
      this.remove(name, entry)
    }
    const announcedBefore = this.announced
    const builtAt = now()
    const response = await build()
    const hasChanged = (tag: string) => (this.lastAnnounced.get(tag) ?? 0) > announcedBefore
    const tags = [...new Set(response.tags)]
    if (this.allAnnounced <= announcedBefore && !tags.some(hasChanged))
      this.keep(name, { ...response, tags, builtAt })
    return response.body
  }

  close(): void {
    this.changes.close()
  }

  private drop(tag: string): void {
    this.announced++
    if (tag === EVERYTHING || this.lastAnnounced.size > MAX_TAGS) {
      this.allAnnounced = this.announced
      this.lastAnnounced.clear()
      this.entries.clear()
      this.keysByTag.clear()
      this.bytes = 0
      return
    }
    this.lastAnnounced.set(tag, this.announced)
    for (const name of this.keysByTag.get(tag) ?? []) this.remove(name, this.entries.get(name)!)
  }

  private keep(name: string, response: CacheEntry): void {
    const before = this.entries.get(name)
    if (before) this.remove(name, before)
    this.entries.set(name, response)
    this.bytes += bytesOf(name, response)
    for (const tag of response.tags) {
      const names = this.keysByTag.get(tag)
      if (names) names.add(name)
      else this.keysByTag.set(tag, new Set([name]))
    }
    for (const [oldest, old] of this.entries) {
      if (this.bytes <= this.maxBytes) break
      this.remove(oldest, old)
    }
  }

  private remove(name: string, response: CachedResponse): void {
    this.entries.delete(name)
    this.bytes -= bytesOf(name, response)
    for (const tag of response.tags) {
      const names = this.keysByTag.get(tag)
      names?.delete(name)
      if (names?.size === 0) this.keysByTag.delete(tag)
    }
  }
}

export function earliest(...dates: (Date | null)[]): Date | null {
  return dates.reduce(
    (first, date) => (first === null || (date !== null && date < first) ? date : first),
    null,
  )
}
