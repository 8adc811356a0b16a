import { unavailable } from '@ordbook/db/process/errors.ts'

/** Bytes that stay in memory until they are released. */
export interface Held {
  /** Null if there are none, permanently. */
  bytes: Buffer | null
  release: () => void
}

/** Loads the bytes of a key. */
export interface Source {
  /** Sources of one lane share its slots, so that a slow lane does not delay others. */
  lane: string
  /** Upper bound of the memory needed to load them, in bytes. */
  mostBytes: number
  make: () => Promise<Buffer | null>
}

interface Entry {
  /** Bytes counted for it: first the reservation, then the actual size. */
  size: number
  users: number
  isReady: boolean
  ready: Promise<Buffer | null>
}

interface Waiting {
  key: string
  source: Source
  admit: (entry: Entry) => void
}

/** Estimated memory of an entry in addition to its bytes. */
const OVERHEAD_BYTES = 500
const MAX_WAITING = 100
/** Maximum concurrent loads per lane. */
const MAX_MAKING = 2
const TIMEOUT_MS = 5000

/**
 * Content in memory, each item once: items being sent and, while there is room, recently sent ones. The total never exceeds `maxBytes`. If
 * there is no room, requests wait briefly in a bounded queue.
 */
export class ContentStore {
  private readonly maxBytes: number
  private readonly patience: number
  private readonly entries = new Map<string, Entry>()
  private readonly waiting = new Set<Waiting>()
  private readonly making = new Map<string, number>()
  private bytes = 0

  constructor(maxBytes: number, patienceMilliseconds = TIMEOUT_MS) {
    this.maxBytes = maxBytes
    this.patience = patienceMilliseconds
  }

  /** Bytes in use, including reservations for content that is being loaded. */
  get size(): number {
    return this.bytes
  }

  /**
   * Returns the bytes of a key, loading them if necessary. The caller must release them. Throws a Fault (unavailable) if there is no room
   * in time, and rethrows errors of the source.
   */
  async hold(key: string, source: Source): Promise<Held> {
    const entry = this.enter(key, source) ?? (await this.wait(key, source))
    const release = once(() => {
      entry.users--
      this.admitWaiting()
    })
    try {
      return { bytes: await entry.ready, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Adds a user to the entry of a key, creating the entry if there is room; null otherwise. */
  private enter(key: string, source: Source): Entry | null {
    let entry = this.entries.get(key)
    if (!entry) {
      if (!this.makeRoom(source)) return null
      entry = this.begin(key, source)
    }
    // Reinsert, so that the most recently used entry is evicted last.
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
      ready: Promise.resolve(null),
    }
    this.bytes += entry.size
    this.making.set(lane, (this.making.get(lane) ?? 0) + 1)
    const settle = (size: number) => {
      entry.isReady = true
      this.bytes += size - entry.size
      entry.size = size
      this.making.set(lane, this.making.get(lane)! - 1)
      this.admitWaiting()
    }
    entry.ready = make().then(
      (made) => {
        settle(OVERHEAD_BYTES + (made?.length ?? 0))
        return made
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
      }, this.patience)
      this.waiting.add(waiting)
    })
  }

  /** Evicts least recently used entries until there is room. Returns whether there is. */
  private makeRoom({ lane, mostBytes }: Source): boolean {
    if ((this.making.get(lane) ?? 0) >= MAX_MAKING) return false
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

const busy = () => unavailable('server-busy', 'Too much content is being sent right now; try again shortly')

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}
