import { Fault } from '@ordbook/db/process/errors.ts'

/** Lets a few pieces of work run at once, some more wait, and refuses the rest. */
export class Gate {
  private readonly most: { running: number; waiting: number }
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(most: { running: number; waiting: number }) {
    this.most = most
  }

  /** Runs the work in its turn. Throws unavailable when too much waits already. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.most.running) {
      if (this.waiting.length >= this.most.waiting)
        throw new Fault('server-busy', 'Too many concurrent requests. Retry in 1 second', {
          retryAfterSeconds: 1,
        })
      await new Promise<void>((done) => this.waiting.push(done))
    } else this.running++
    try {
      return await work()
    } finally {
      // The request that waits longest is next.
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }
}
