import { Fault } from '@ordbook/db/process/errors.ts'

/** Limits concurrency: runs some tasks, queues some more, and rejects the rest. */
export class Gate {
  private readonly most: { running: number; waiting: number }
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(most: { running: number; waiting: number }) {
    this.most = most
  }

  /** Runs a task when there is a slot. Throws unavailable if the queue is full. */
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
      // First in, first out.
      const next = this.waiting.shift()
      if (next) next()
      else this.running--
    }
  }
}
