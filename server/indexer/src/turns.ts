import { setImmediate as nextTurn } from 'node:timers/promises'

/** Much shorter than the heartbeat of a lease. */
const MAX_TURN_MS = 100

/**
 * Yields to the event loop in long computations. The heartbeat of the lease and the poll of the mempool run in the same thread. Without
 * them, another server takes the lease, computes the same block, and loses the lease too.
 */
export class Turns {
  private readonly milliseconds: number
  private readonly onTurn: (() => Promise<unknown>) | null
  private since = performance.now()
  /** Number of times that the computation has yielded. */
  taken = 0

  /** `onTurn` runs at each turn. */
  constructor(onTurn: (() => Promise<unknown>) | null = null, milliseconds = MAX_TURN_MS) {
    this.onTurn = onTurn
    this.milliseconds = milliseconds
  }

  /** Whether to call `take` now. */
  get isDue(): boolean {
    return performance.now() - this.since >= this.milliseconds
  }

  async take(): Promise<void> {
    await nextTurn()
    await this.onTurn?.()
    this.taken++
    this.since = performance.now()
  }
}
