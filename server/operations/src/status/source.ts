import { setTimeout as sleep } from 'node:timers/promises'

/** The last value of a source and its age; both null before the first response. */
export interface Reading<T> {
  value: T | null
  ageSeconds: number | null
  /** False after a failure, or without a response for `GRACE` milliseconds. */
  isUp: boolean
}

/** Timeout of a reading, in milliseconds. `/status` must respond within a second. */
const TIMEOUT_MS = 700
/** How long the last value of a slow source stays valid, in milliseconds. */
const GRACE = 3000
/** Time after which a pending reading is abandoned and repeated, in milliseconds. */
const ABANDON = 2000

/** Reads a source that can hang or fail. On a timeout, returns the last value. */
export class Source<T> {
  private readonly look: () => Promise<T>
  private asked: { at: number; answered: Promise<void> } | null = null
  private last: { value: T; at: number } | null = null
  private hasFailed = false

  constructor(look: () => Promise<T>) {
    this.look = look
  }

  /** Waits longer for the first response, because connecting can be slow. */
  async settle(): Promise<void> {
    await this.ask(GRACE)
  }

  async read(): Promise<Reading<T>> {
    await this.ask(TIMEOUT_MS)
    const ageMilliseconds = this.last && performance.now() - this.last.at
    return {
      value: this.last?.value ?? null,
      ageSeconds: ageMilliseconds === null ? null : ageMilliseconds / 1000,
      isUp: !this.hasFailed && ageMilliseconds !== null && ageMilliseconds < GRACE,
    }
  }

  /** Starts a reading unless one is pending. Waits for up to `patience` milliseconds. */
  private async ask(patience: number): Promise<void> {
    if (!this.asked || performance.now() - this.asked.at > ABANDON) this.begin()
    const deadline = new AbortController()
    await Promise.race([
      this.asked?.answered,
      sleep(patience, undefined, { signal: deadline.signal, ref: false }).catch(() => {}),
    ])
    deadline.abort()
  }

  private begin(): void {
    const reading = { at: performance.now(), answered: Promise.resolve() }
    const end = (hasFailed: boolean) => {
      // Ignore abandoned readings.
      if (this.asked !== reading) return
      this.asked = null
      this.hasFailed = hasFailed
    }
    this.asked = reading
    reading.answered = this.look().then(
      (value) => {
        if (this.asked === reading) this.last = { value, at: performance.now() }
        end(false)
      },
      () => end(true),
    )
  }
}
