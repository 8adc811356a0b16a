import type { Logger } from 'pino'
import type { Page, PageCache } from '../context.ts'
import { Changes, EVERYTHING } from './changes.ts'

interface Kept extends Page {
  builtAt: Date
}

/** What a page costs beside its bytes. */
const OVERHEAD_BYTES = 1000
const MOST_TAGS = 100_000

/**
 * Finished pages in memory, never a stale one: every change of what a page shows is announced, and each request waits for
 * a fence behind which everything that was committed before it came has been heard (changes.ts). Where nothing can
 * be heard, nothing is taken from memory.
 */
export class Pages implements PageCache {
  private readonly changes: Changes
  private readonly maxBytes: number
  private readonly entries = new Map<string, Kept>()
  private readonly keysByTag = new Map<string, Set<string>>()
  private bytes = 0
  /** Counts what was announced, and when each tag last was: a page built meanwhile is not kept. */
  private announced = 0
  private lastAnnounced = new Map<string, number>()
  private allAnnounced = 0

  /** `maxBytes` 0: nothing is kept. */
  constructor(databaseUrl: string, options: { maxBytes: number; log: Logger }) {
    this.maxBytes = options.maxBytes
    this.changes = new Changes(databaseUrl, { log: options.log, onTag: (tag) => this.drop(tag) })
  }

  /** The page of a key: from memory where that is true still, else as `build` makes it. */
  async read(key: readonly unknown[], now: () => Date, build: () => Promise<Page>): Promise<Buffer> {
    if (this.maxBytes === 0 || !(await this.changes.fence())) return (await build()).body
    const name = JSON.stringify(key)
    const kept = this.entries.get(name)
    if (kept) {
      const at = now()
      // Built later than now: the clock had jumped, and its page may lack what lives still.
      if (kept.builtAt <= at && (kept.validUntil === null || kept.validUntil > at)) {
        this.entries.delete(name)
        this.entries.set(name, kept)
        return kept.body
      }
      this.remove(name, kept)
    }
    const began = this.announced
    const builtAt = now()
    const page = await build()
    const changed = (tag: string) => (this.lastAnnounced.get(tag) ?? 0) > began
    const tags = [...new Set(page.tags)]
    if (this.allAnnounced <= began && !tags.some(changed)) this.keep(name, { ...page, tags, builtAt })
    return page.body
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

  private keep(name: string, page: Kept): void {
    const before = this.entries.get(name)
    if (before) this.remove(name, before)
    this.entries.set(name, page)
    this.bytes += page.body.length + OVERHEAD_BYTES
    for (const tag of page.tags) {
      const names = this.keysByTag.get(tag)
      if (names) names.add(name)
      else this.keysByTag.set(tag, new Set([name]))
    }
    for (const [oldest, old] of this.entries) {
      if (this.bytes <= this.maxBytes) break
      this.remove(oldest, old)
    }
  }

  private remove(name: string, page: Page): void {
    this.entries.delete(name)
    this.bytes -= page.body.length + OVERHEAD_BYTES
    for (const tag of page.tags) {
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
