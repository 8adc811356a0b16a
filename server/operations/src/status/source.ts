import { setTimeout as sleep } from 'node:timers/promises'

/** The last value of a source and its age; both null before the first response. */
export interface Reading<T> {
  value: T | null
  ageSeconds: number | null
  /** False after a failure, or without a response for `GRACE` milliseconds. */
  isUp: boolean
}

/** Timeout for one reading, in milliseconds: `/status` must respond within a second even if a source hangs. */
const TIMEOUT_MS = 700
/** How long the last value of a slow source stays valid, in milliseconds. */
const GRACE = 3000
/** After this time without a response, in milliseconds, a reading is abandoned and repeated. */
const ABANDON = 2000

/** Reads a source that can hang or fail. Returns the last value if there is no new one before the deadline. */
export class Source<T> {
  private readonly look: () => Promise<T>
  private asked: { at: number; answered: Promise<void> } | null = null
  private last: { value: T; at: number } | null = null
  private hasFailed = false

  constructor(look: () => Promise<T>) {
    this.look = look
  }

  /** Waits for the first response: connecting can be slow just after the start. */
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

  /** Starts a reading unless one is pending, and waits for it for at most `patience` milliseconds. */
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
      // The response to an abandoned reading is outdated.
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
