import type { Logger } from 'pino'
import type { CachedResponse, ResponseCache } from '../context.ts'
import { Changes, EVERYTHING } from './changes.ts'

interface Kept extends CachedResponse {
  builtAt: Date
}

/** Memory that a response takes beside its bytes and its name. */
const OVERHEAD_BYTES = 1000
/** Memory of a response. Its name is text of the client, of up to two bytes a character, in the map of names and in those of its tags. */
const bytesOf = (name: string, { body }: CachedResponse) => body.length + 2 * name.length + OVERHEAD_BYTES
const MOST_TAGS = 100_000

/**
 * Responses in memory, never a stale one. Triggers announce every change of what a response shows, and each request waits
 * for a fence behind which all announcements committed before it have arrived (changes.ts). While no connection listens,
 * no response is taken from memory.
 */
export class CachedResponses implements ResponseCache {
  private readonly changes: Changes
  private readonly maxBytes: number
  private readonly entries = new Map<string, Kept>()
  private readonly keysByTag = new Map<string, Set<string>>()
  private bytes = 0
  /** Counts announcements, and when each tag was announced last: a response built meanwhile is not kept. */
  private announced = 0
  private lastAnnounced = new Map<string, number>()
  private allAnnounced = 0

  /** `maxBytes` 0: nothing is kept. */
  constructor(databaseUrl: string, options: { maxBytes: number; log: Logger; hasReplica?: boolean }) {
    this.maxBytes = options.maxBytes
    this.changes = new Changes(databaseUrl, { ...options, onTag: (tag) => this.drop(tag) })
  }

  /** A position of the primary's log behind every change committed before the call; null while the primary does not say. */
  position(): Promise<number | null> {
    return this.changes.position()
  }

  /** The response of a key: from memory while it is true, else as `build` makes it. */
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
      // Built later than now: the clock had jumped, and the response may lack orders that still live.
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
    if (tag === EVERYTHING || this.lastAnnounced.size > MOST_TAGS) {
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

/** The earliest of some moments; null when there is none. */
export function earliest(...moments: (Date | null)[]): Date | null {
  return moments.reduce(
    (first, each) => (first === null || (each !== null && each < first) ? each : first),
    null,
  )
}
