import { setTimeout as sleep } from 'node:timers/promises'

/** The last answer of a source and its age; both null where it never answered. */
export interface Reading<T> {
  value: T | null
  ageSeconds: number | null
  /** False once it fails, or has not answered for `GRACE` milliseconds. */
  isUp: boolean
}

/** The longest wait for one reading, in milliseconds: `/status` answers within a second even if a source hangs. */
const TIMEOUT_MS = 700
/** A source under load may be late: its last answer counts for so long, in milliseconds. */
const GRACE = 3000
/** A reading without an answer for so long, in milliseconds, is repeated. */
const ABANDON = 2000

/** A source that may hang or fail: read with a deadline, it gives its last answer if it has no new one in time. */
export class Source<T> {
  private readonly look: () => Promise<T>
  private asked: { at: number; answered: Promise<void> } | null = null
  private last: { value: T; at: number } | null = null
  private hasFailed = false

  constructor(look: () => Promise<T>) {
    this.look = look
  }

  /** Waits for a first answer: a process that has just started on a busy machine may be slow to connect. */
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

  /** Asks, if no reading is under way, and waits for at most so many milliseconds. */
  private async ask(patience: number): Promise<void> {
    if (!this.asked || performance.now() - this.asked.at > ABANDON) this.begin()
    const waited = new AbortController()
    await Promise.race([
      this.asked?.answered,
      sleep(patience, undefined, { signal: waited.signal, ref: false }).catch(() => {}),
    ])
    waited.abort()
  }

  private begin(): void {
    const asked = { at: performance.now(), answered: Promise.resolve() }
    const end = (hasFailed: boolean) => {
      // The answer to an abandoned reading says nothing about the present.
      if (this.asked !== asked) return
      this.asked = null
      this.hasFailed = hasFailed
    }
    this.asked = asked
    asked.answered = this.look().then(
      (value) => {
        if (this.asked === asked) this.last = { value, at: performance.now() }
        end(false)
      },
      () => end(true),
    )
  }
}
