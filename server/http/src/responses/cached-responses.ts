import type { Logger } from 'pino'
import type { CachedResponse, ResponseCache } from '../context.ts'
import { Changes, EVERYTHING } from './changes.ts'

interface CacheEntry extends CachedResponse {
  builtAt: Date
}

const OVERHEAD_BYTES = 1000
/** Memory of an entry, in bytes. Both maps contain the name, with up to two bytes per character. */
const bytesOf = (name: string, { body }: CachedResponse) => body.length + 2 * name.length + OVERHEAD_BYTES
const MAX_TAGS = 100_000

/**
 * In-memory response cache that never returns stale data. Triggers announce changes, and each request waits
 * until earlier announcements have arrived (changes.ts). Without a listening connection, the cache is
 * bypassed.
 */
export class CachedResponses implements ResponseCache {
  private readonly changes: Changes
  private readonly maxBytes: number
  private readonly entries = new Map<string, CacheEntry>()
  private readonly keysByTag = new Map<string, Set<string>>()
  private bytes = 0
  /**
   * Announcement counters, in total and by tag. A response is not cached if one of its tags changed while it
   * was built.
   */
  private announced = 0
  private lastAnnounced = new Map<string, number>()
  private allAnnounced = 0

  constructor(databaseUrl: string, options: { maxBytes: number; log: Logger; hasReplica?: boolean }) {
    this.maxBytes = options.maxBytes
    this.changes = new Changes(databaseUrl, { ...options, onTag: (tag) => this.drop(tag) })
  }

  /**
   * Returns a WAL position that includes every change committed before the call; null if the primary does not
   * respond.
   */
  position(): Promise<number | null> {
    return this.changes.position()
  }

  /** Returns the cached response, or builds and caches it. */
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
      // If the clock was set back, the entry may omit orders that are active again.
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
