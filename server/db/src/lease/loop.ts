import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Lease, LeaseLost } from './lease.ts'
import type { Pace } from './pace.ts'

/** Logs a failure when it starts, every minute while it lasts, and when it ends. */
export class LogThrottle {
  private readonly log: Logger
  private readonly failures = new Map<string, { message: string; at: number }>()

  constructor(log: Logger) {
    this.log = log
  }

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
 * Runs `step` repeatedly while this process holds the lease. Failed steps are logged and retried, so they must be idempotent. The signal
 * aborts when the process stops or loses the lease. `pace` replaces the pauses of `milliseconds` between steps.
 */
export async function loop(
  lease: Lease,
  signal: AbortSignal,
  milliseconds: number,
  throttle: LogThrottle,
  step: (signal: AbortSignal) => Promise<unknown>,
  pace?: Pace,
): Promise<void> {
  const pause = (until: AbortSignal) => sleep(milliseconds, undefined, { signal: until }).catch(() => {})
  while (!signal.aborted) {
    await throttle.run(`${lease.role} lease`, () =>
      lease.hold(signal, milliseconds, async (held) => {
        while (!held.aborted) {
          await throttle.run(lease.role, () =>
            step(held).catch((error: unknown) => {
              // The outer `throttle.run` logs a lost lease.
              if (!(error instanceof LeaseLost)) throw error
            }),
          )
          await (pace ? pace.pause(held) : pause(held))
        }
      }),
    )
    await pause(signal)
  }
}
