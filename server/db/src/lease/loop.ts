import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Lease, LeaseLost } from './lease.ts'

/** Logs a failure when it starts, once per minute while it lasts, and when it is over. */
export class LogThrottle {
  private readonly log: Logger
  private readonly failures = new Map<string, { message: string; at: number }>()

  constructor(log: Logger) {
    this.log = log
  }

  /** Runs `work` and logs its failure. The caller retries. */
  async run(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      if (this.failures.delete(name)) this.log.info({ name }, 'recovered')
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const before = this.failures.get(name)
      if (before?.message === message && performance.now() - before.at < 60_000) return
      this.failures.set(name, { message, at: performance.now() })
      this.log.error({ err: error, name }, 'failed, retrying')
    }
  }
}

/**
 * Runs `step` repeatedly while this process holds the lease. A failed step is logged and retried, so steps
 * must be safe to repeat. The signal passed to `step` aborts when the process stops or loses the lease.
 */
export async function loop(
  lease: Lease,
  signal: AbortSignal,
  milliseconds: number,
  throttle: LogThrottle,
  step: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const pause = (until: AbortSignal) => sleep(milliseconds, undefined, { signal: until }).catch(() => {})
  while (!signal.aborted) {
    await throttle.run(`${lease.role} lease`, () =>
      lease.hold(signal, milliseconds, async (held) => {
        while (!held.aborted) {
          await throttle.run(lease.role, () =>
            step(held).catch((error: unknown) => {
              // The loss of the lease is logged by the outer `throttle.run`.
              if (!(error instanceof LeaseLost)) throw error
            }),
          )
          await pause(held)
        }
      }),
    )
    await pause(signal)
  }
}
