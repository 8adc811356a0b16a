import type { Logger } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { Replica } from './replica.ts'

/** WAL position of a primary that writes constantly. */
const written = () => Math.floor(performance.now() * 1000)

/** Starts a replica whose connection is a stub that lags by `lag()` milliseconds. */
async function startLagging(lag: () => number): Promise<Replica> {
  const replica = new Replica('postgres://127.0.0.1:1/none', {
    max: 1,
    own: { systemId: '1', database: 'none' },
    findPosition: async () => written(),
    log: { info() {}, warn() {} } as unknown as Logger,
  })
  const sql = async () => [{ position: written() - lag() * 1000, ageSeconds: lag() / 1000, isReplica: true }]
  Reflect.set(replica, 'open', async () => ({ sql, destroy() {} }))
  await replica.start()
  onTestFinished(() => replica.close())
  return replica
}

it('reads use a replica of a busy primary again after a lag', async () => {
  let milliseconds = 20
  const replica = await startLagging(() => milliseconds)
  const hasReached = () => replica.hasReached(written())
  await expect.poll(hasReached).toBe(true)
  milliseconds = 1000
  await expect.poll(hasReached).toBe(false)
  milliseconds = 20
  await expect.poll(hasReached, { timeout: 3000 }).toBe(true)
})
