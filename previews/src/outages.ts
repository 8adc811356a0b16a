import type { Logger } from 'pino'

/** Tracks failed workers. Logs each reason once, regardless of the number of workers and retries. */
export class Outages {
  private readonly log: Logger
  private readonly reasons = new Map<object, string>()

  constructor(log: Logger) {
    this.log = log
  }

  /** Records a failed worker. */
  begin(lane: object, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const isKnown = this.reasons.has(lane) || [...this.reasons.values()].includes(reason)
    this.reasons.set(lane, reason)
    if (!isKnown) this.log.error({ err: error }, `a worker stopped, retrying: ${reason}`)
  }

  /** Records a recovered worker. */
  end(lane: object): void {
    if (this.reasons.delete(lane) && this.reasons.size === 0) this.log.warn('all workers recovered')
  }

  has(lane: object): boolean {
    return this.reasons.has(lane)
  }

  get count(): number {
    return this.reasons.size
  }

  /** The reason of the first failed worker, or null. */
  get reason(): string | null {
    return this.reasons.values().next().value ?? null
  }
}
