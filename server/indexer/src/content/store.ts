import { unavailable } from '@ordbook/db/process/errors.ts'

export interface Loaded {
  /** Null if the source has no bytes, which is cached too. */
  bytes: Buffer | null
  /** The media type, if only the source knows it. */
  type?: string | null
}

export interface Held extends Loaded {
  release: () => void
}

export interface Source {
  /** Sources in a lane share slots, so that a slow lane does not delay others. */
  lane: string
  /** Maximum memory while loading, in bytes. */
  mostBytes: number
  make: () => Promise<Loaded>
}

interface Entry {
  /** Bytes counted towards the limit: reserved bytes while loading, then the actual size. */
  size: number
  users: number
  isReady: boolean
  ready: Promise<Loaded>
}

interface Waiting {
  key: string
  source: Source
  admit: (entry: Entry) => void
}

const OVERHEAD_BYTES = 500
const MAX_WAITING = 100
const MAX_LOADING = 2
const TIMEOUT_MS = 5000

/**
 * Content in memory: items being sent and, if there is room, recent items. The total never exceeds `maxBytes`. If the store is full,
 * requests wait in a bounded queue.
 */
export class ContentStore {
  private readonly maxBytes: number
  private readonly timeoutMs: number
  private readonly entries = new Map<string, Entry>()
  private readonly waiting = new Set<Waiting>()
  private readonly loading = new Map<string, number>()
  private bytes = 0

  constructor(maxBytes: number, timeoutMs = TIMEOUT_MS) {
    this.maxBytes = maxBytes
    this.timeoutMs = timeoutMs
  }

  get size(): number {
    return this.bytes
  }

  /**
   * Returns content by key, loading it if necessary. The caller must release it. Throws `unavailable` if the store stays full, and rethrows
   * errors of the source.
   */
  async hold(key: string, source: Source): Promise<Held> {
    const entry = this.enter(key, source) ?? (await this.wait(key, source))
    const release = once(() => {
      entry.users--
      this.admitWaiting()
    })
    try {
      return { ...(await entry.ready), release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Adds a user to an entry. Creates the entry if there is room, otherwise returns null. */
  private enter(key: string, source: Source): Entry | null {
    let entry = this.entries.get(key)
    if (!entry) {
      if (!this.makeRoom(source)) return null
      entry = this.begin(key, source)
    }
    // Move to the end. Eviction starts with the least recently used entry.
    this.entries.delete(key)
    this.entries.set(key, entry)
    entry.users++
    return entry
  }

  private begin(key: string, { lane, mostBytes, make }: Source): Entry {
    const entry: Entry = {
      size: mostBytes + OVERHEAD_BYTES,
      users: 0,
      isReady: false,
      ready: Promise.resolve({ bytes: null }),
    }
    this.bytes += entry.size
    this.loading.set(lane, (this.loading.get(lane) ?? 0) + 1)
    const settle = (size: number) => {
      entry.isReady = true
      this.bytes += size - entry.size
      entry.size = size
      this.loading.set(lane, this.loading.get(lane)! - 1)
      this.admitWaiting()
    }
    entry.ready = make().then(
      (loaded) => {
        settle(OVERHEAD_BYTES + (loaded.bytes?.length ?? 0))
        return loaded
      },
      (error: unknown) => {
        this.entries.delete(key)
        settle(0)
        throw error
      },
    )
    return entry
  }

  private wait(key: string, source: Source): Promise<Entry> {
    if (this.waiting.size >= MAX_WAITING) throw busy()
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        key,
        source,
        admit: (entry) => {
          clearTimeout(timer)
          this.waiting.delete(waiting)
          resolve(entry)
        },
      }
      const timer = setTimeout(() => {
        this.waiting.delete(waiting)
        reject(busy())
      }, this.timeoutMs)
      this.waiting.add(waiting)
    })
  }

  /** Evicts least recently used entries. Returns false if the source still does not fit. */
  private makeRoom({ lane, mostBytes }: Source): boolean {
    if ((this.loading.get(lane) ?? 0) >= MAX_LOADING) return false
    const size = mostBytes + OVERHEAD_BYTES
    for (const [key, entry] of this.entries) {
      if (this.bytes + size <= this.maxBytes) break
      if (entry.users > 0 || !entry.isReady) continue
      this.entries.delete(key)
      this.bytes -= entry.size
    }
    return this.bytes + size <= this.maxBytes
  }

  private admitWaiting(): void {
    for (const waiting of this.waiting) {
      const entry = this.enter(waiting.key, waiting.source)
      if (entry) waiting.admit(entry)
    }
  }
}

const busy = () => unavailable('server-busy', 'The server is sending too much content. Try again shortly.')

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}
