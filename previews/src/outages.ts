import type { Logger } from 'pino'

/** The reasons why lanes do no work. Each is logged once, however many lanes it stops and however often they try again. */
export class Outages {
  private readonly log: Logger
  private readonly reasons = new Map<object, string>()

  constructor(log: Logger) {
    this.log = log
  }

  /** A lane does no work. */
  begin(lane: object, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    const isKnown = this.reasons.has(lane) || [...this.reasons.values()].includes(reason)
    this.reasons.set(lane, reason)
    if (!isKnown) this.log.error({ err: error }, `a worker stopped, retrying: ${reason}`)
  }

  /** A lane works. */
  end(lane: object): void {
    if (this.reasons.delete(lane) && this.reasons.size === 0) this.log.warn('all workers recovered')
  }

  has(lane: object): boolean {
    return this.reasons.has(lane)
  }

  /** Lanes that do no work. */
  get count(): number {
    return this.reasons.size
  }

  /** Why the first of them does none; null while all work. */
  get reason(): string | null {
    return this.reasons.values().next().value ?? null
  }
}
