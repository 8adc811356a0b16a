import { Fault } from '../process/errors.ts'

/** Runs up to `running` tasks at a time. Throws `unavailable` if the queue of `waiting` tasks is full. */
export class Gate {
  private readonly limits: { running: number; waiting: number }
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(limits: { running: number; waiting: number }) {
    this.limits = limits
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.running) {
      if (this.waiting.length >= this.limits.waiting)
        throw new Fault('server-busy', 'Too many concurrent requests. Retry in 1 second.', {
          retryAfterSeconds: 1,
        })
      await new Promise<void>((done) => this.waiting.push(done))
    } else this.running++
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }
}
