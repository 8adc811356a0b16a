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

  constructor(paces: Paces) {
    this.paces = paces
  }

  /** Keeps the pauses short for a while. */
  noteChange(): void {
    this.changedAt = performance.now()
  }

  /** Ends the current pause, and keeps the next ones short for a while. */
  wake(): void {
    this.noteChange()
    this.waiting.abort()
    this.waiting = new AbortController()
  }

  /** Waits until the next poll is due or a signal aborts. */
  async pause(until: AbortSignal): Promise<void> {
    const { active, quiet, quietAfter } = this.paces
    const isQuiet = performance.now() - this.changedAt >= quietAfter
    const signal = AbortSignal.any([until, this.waiting.signal])
    await sleep(isQuiet ? Math.max(active, quiet) : active, undefined, { signal }).catch(() => {})
  }
}
