import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { connectAlone } from './db/connect.ts'

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

const LOCKS = { follower: 7_281_002, jobs: 7_281_003 }

/**
 * Runs `step` again and again while this process holds the role's advisory lock; others stand by and take over when its
 * connection ends. A step that fails is logged and tried again: every one of them is safe to repeat.
 */
export async function loop(
  databaseUrl: string,
  role: keyof typeof LOCKS,
  signal: AbortSignal,
  milliseconds: number,
  complaints: Complaints,
  step: () => Promise<unknown>,
): Promise<void> {
  const pause = () => sleep(milliseconds, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    await complaints.about(`${role}: the database`, async () => {
      const connection = await connectAlone(databaseUrl, role)
      const { sql: session } = connection
      try {
        const [row] = await session<{ held: boolean }[]>`select pg_try_advisory_lock(${LOCKS[role]}) as held`
        while (row!.held && !signal.aborted) {
          // Asked on the connection that holds the lock: once it is gone, so is our right to go on.
          await session`select 1`
          await complaints.about(role, step)
          await pause()
        }
        if (row!.held) await session`select pg_advisory_unlock(${LOCKS[role]})`
      } finally {
        connection.destroy()
      }
    })
    if (!signal.aborted) await pause()
  }
}
