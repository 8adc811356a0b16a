import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Lease, LeaseLost } from './db/lease.ts'

/** Says what fails when it begins, once a minute while it lasts, and when it is over. */
export class Complaints {
  private readonly log: Logger
  private readonly said = new Map<string, { message: string; at: number }>()

  constructor(log: Logger) {
    this.log = log
  }

  /** Does something that may fail and is tried again by the caller. */
  async about(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
      if (this.said.delete(name)) this.log.info({ name }, 'works again')
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const before = this.said.get(name)
      if (before?.message === message && performance.now() - before.at < 60_000) return
      this.said.set(name, { message, at: performance.now() })
      this.log.error({ err: error, name }, 'failed, and will be tried again')
    }
  }
}

/**
 * Runs `step` again and again while this process holds the lease; others stand by. A step that fails is logged and tried
 * again: each one is safe to repeat. `step` gets a signal that is aborted when the process stops or loses the lease.
 */
export async function loop(
  lease: Lease,
  signal: AbortSignal,
  milliseconds: number,
  complaints: Complaints,
  step: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const pause = (until: AbortSignal) => sleep(milliseconds, undefined, { signal: until }).catch(() => {})
  while (!signal.aborted) {
    await complaints.about(`${lease.role}: the lease`, () =>
      lease.hold(signal, milliseconds, async (held) => {
        while (!held.aborted) {
          await complaints.about(lease.role, () =>
            step(held).catch((error: unknown) => {
              // The lease itself says so, once.
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
