const SLICES_PER_TICK = 8

/**
 * Limits stream writes per event loop iteration. If the kernel accepts data faster than clients read it, streams would block the event
 * loop.
 */
export class WriteScheduler {
  private readonly waiting: (() => void)[] = []
  private isScheduled = false

  /** Resolves when the caller can write, first in, first out. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.schedule()
    })
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      for (const resume of this.waiting.splice(0, SLICES_PER_TICK)) resume()
      if (this.waiting.length > 0) this.schedule()
    })
  }
}
