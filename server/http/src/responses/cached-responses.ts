import type { Logger } from 'pino'
import type { CachedResponse, ResponseCache } from '../context.ts'
import { Changes, EVERYTHING } from './changes.ts'

interface Kept extends CachedResponse {
  builtAt: Date
}

/** Estimated memory of an entry in addition to body and name. */
const OVERHEAD_BYTES = 1000
/** Memory of an entry in bytes. The name is client input, up to two bytes per character, kept in both maps. */
const bytesOf = (name: string, { body }: CachedResponse) => body.length + 2 * name.length + OVERHEAD_BYTES
const MAX_TAGS = 100_000

/**
 * An in-memory response cache that never serves stale data. Triggers announce every change of the data that a response shows. Each request
 * waits for a fence, after which all announcements committed before it have arrived (changes.ts). Without a listening connection, the cache
 * is bypassed.
 */
export class CachedResponses implements ResponseCache {
  private readonly changes: Changes
  private readonly maxBytes: number
  private readonly entries = new Map<string, Kept>()
  private readonly keysByTag = new Map<string, Set<string>>()
  private bytes = 0
  /** Number of announcements, and the last one of each tag: a response is not cached if one of its tags changed while it was built. */
  private announced = 0
  private lastAnnounced = new Map<string, number>()
  private allAnnounced = 0

  /** Disables the cache if `maxBytes` is 0. */
  constructor(databaseUrl: string, options: { maxBytes: number; log: Logger; hasReplica?: boolean }) {
    this.maxBytes = options.maxBytes
    this.changes = new Changes(databaseUrl, { ...options, onTag: (tag) => this.drop(tag) })
  }

  /** A WAL position of the primary after every change committed before the call; null if the primary does not respond. */
  position(): Promise<number | null> {
    return this.changes.position()
  }

  /** Returns the cached response of a key if it is still valid; otherwise builds it and caches it. */
  async read(
    key: readonly unknown[],
    now: () => Date,
    build: () => Promise<CachedResponse>,
  ): Promise<Buffer> {
    if (this.maxBytes === 0 || !(await this.changes.fence())) return (await build()).body
    const name = JSON.stringify(key)
    const kept = this.entries.get(name)
    if (kept) {
      const at = now()
      // Built in the future: the clock was set back, so the response may lack orders that had expired then but are active now.
      if (kept.builtAt <= at && (kept.validUntil === null || kept.validUntil > at)) {
        this.entries.delete(name)
        this.entries.set(name, kept)
        return kept.body
      }
      this.remove(name, kept)
    }
    const began = this.announced
    const builtAt = now()
    const response = await build()
    const changed = (tag: string) => (this.lastAnnounced.get(tag) ?? 0) > began
    const tags = [...new Set(response.tags)]
    if (this.allAnnounced <= began && !tags.some(changed)) this.keep(name, { ...response, tags, builtAt })
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

  private keep(name: string, response: Kept): void {
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

/** The earliest of these dates, ignoring nulls; null if all are null. */
export function earliest(...moments: (Date | null)[]): Date | null {
  return moments.reduce(
    (first, each) => (first === null || (each !== null && each < first) ? each : first),
    null,
  )
}
