import { setTimeout as sleep } from 'node:timers/promises'

export interface Paces {
  /** Milliseconds between polls. */
  active: number
  /** Milliseconds between polls once nothing has changed for `quietAfter` milliseconds. */
  quiet: number
  quietAfter: number
}

/** Pause between the polls of a loop. */
export class Pace {
  private readonly paces: Paces
  private changedAt = performance.now()
  private waiting = new AbortController()
  private shortest = Infinity

  constructor(paces: Paces) {
    this.paces = paces
  }

  /** Keeps the pauses short for a while. */
  noteChange(): void {
    this.changedAt = performance.now()
  }

  /** Ends the current pause, or skips the next one, and keeps the following ones short for a while. */
  wake(): void {
    this.noteChange()
    this.shorten(0)
  }

  /** Limits the current pause, or the next one if none has begun, to a length in milliseconds. */
  shorten(milliseconds: number): void {
    if (milliseconds >= this.shortest) return
    this.shortest = milliseconds
    this.waiting.abort()
    this.waiting = new AbortController()
  }

  /** Waits until the next poll is due or a signal aborts. */
  async pause(until: AbortSignal): Promise<void> {
    const { active, quiet, quietAfter } = this.paces
    const began = performance.now()
    const isQuiet = began - this.changedAt >= quietAfter
    const full = isQuiet ? Math.max(active, quiet) : active
    while (!until.aborted) {
      const left = began + Math.min(full, this.shortest) - performance.now()
      if (left <= 0) break
      const signal = AbortSignal.any([until, this.waiting.signal])
      await sleep(left, undefined, { signal }).catch(() => {})
    }
    this.shortest = Infinity
  }
}
