/** Slices written per event loop iteration. */
const AT_ONCE = 8

/**
 * Schedules the writes of all streams. Without it, if the kernel's buffers accept data that clients do not read, the streams would keep the
 * event loop busy.
 */
export class Turns {
  private readonly waiting: (() => void)[] = []
  private isScheduled = false

  /** Resolves when it is the caller's turn; first in, first out. */
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
      for (const resume of this.waiting.splice(0, AT_ONCE)) resume()
      if (this.waiting.length > 0) this.schedule()
    })
  }
}
