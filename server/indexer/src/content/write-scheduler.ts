/** Slices that are handed to the kernel before other work has its turn. */
const AT_ONCE = 8

/**
 * Turns that all streams share: a kernel that takes what no client reads would otherwise be fed by one stream after the other, and
 * the event loop would do nothing else.
 */
export class Turns {
  private readonly waiting: (() => void)[] = []
  private isScheduled = false

  /** Resolves when it is the caller's turn, in the order of the calls. */
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
