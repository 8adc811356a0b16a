import { setTimeout as sleep } from 'node:timers/promises'
import { connect, connectAlone, inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { type FaultyDatabase, startFaultyDatabase } from './support/faults.ts'

/**
 * A pool under load while the database is stopped, killed, frozen and cut off. Nothing may escape as an uncaught error
 * (vitest fails then), no caller may wait past its deadline, every error says outage, and the pool must serve again.
 */
let database: FaultyDatabase
let sql: Sql
beforeAll(async () => {
  database = await startFaultyDatabase()
  sql = connect(database.url, { max: 6, as: 'requests' })
  await sql`create table written (n bigint primary key)`
})
afterAll(async () => {
  await sql?.end({ timeout: 1 })
  await database?.close()
})

/** Connecting, a statement and its grace, a rollback. */
const DEADLINE = 2000 + 9000 + 1000
const HOLD = sampled(4000, 20_000)

interface Load {
  answers: number
  errors: unknown[]
  slowest: number
  acknowledged: number[]
  stop(): Promise<void>
}

let next = 0
function load(): Load {
  const seen: Load = { answers: 0, errors: [], slowest: 0, acknowledged: [], stop }
  let goesOn = true
  const timed = async (work: () => Promise<unknown>) => {
    const started = performance.now()
    try {
      await work()
      seen.answers++
    } catch (error) {
      seen.errors.push(error)
      await sleep(20)
    }
    seen.slowest = Math.max(seen.slowest, performance.now() - started)
  }
  const kinds = [
    () => sql`select n, repeat('x', 1000) from generate_series(1, 50) n`,
    () => sql`select pg_sleep(0.05)`,
    async () => {
      const n = next++
      await inTransaction(sql, async (tx) => {
        await tx`insert into written values (${n})`
        await tx`select count(*) from written`
      })
      seen.acknowledged.push(n)
    },
  ]
  const workers = Array.from({ length: 12 }, async (_, k) => {
    while (goesOn) await timed(kinds[k % kinds.length]!)
  })
  async function stop() {
    goesOn = false
    await Promise.all(workers)
  }
  return seen
}

const faults: Record<string, () => Promise<void>> = {
  'a fast restart': async () => {
    await database.stop('fast')
    await sleep(300)
    await database.start()
  },
  'an immediate restart': async () => {
    await database.stop('immediate')
    await database.start()
  },
  'kill -9 of the server': async () => {
    await database.kill()
    await database.start()
  },
  'kill -9 of a session at work': async () => {
    const [victim] = database.sessions('SELECT')
    process.kill(victim ?? database.sessions()[0]!, 'SIGKILL')
    await sleep(200)
  },
  'every session ended, one after the other': async () => {
    for (const pid of database.sessions()) process.kill(pid, 'SIGTERM')
    await sleep(50)
  },
  'sessions that hang': async () => {
    database.freeze('sessions')
    await sleep(HOLD)
    database.thaw()
  },
  'a server that hangs': async () => {
    database.freeze('all')
    await sleep(HOLD)
    database.thaw()
  },
  'a network that swallows everything': async () => {
    database.proxy.hole()
    await sleep(HOLD)
    database.proxy.pass()
  },
  'a network that refuses': async () => {
    database.proxy.refuse()
    await sleep(500)
    database.proxy.pass()
  },
  'a network that forgets its connections': async () => {
    database.proxy.reset()
    await sleep(50)
  },
}

it.each(Object.entries(faults))('survives %s', async (_name, fault) => {
  const seen = load()
  await sleep(300)
  const answered = seen.answers
  expect(answered).toBeGreaterThan(0)
  await fault()
  // Healthy: as many callers as there are connections, and again as many, are all served.
  const back = performance.now()
  for (;;) {
    const all = await Promise.allSettled(Array.from({ length: 12 }, () => sql`select 1`))
    if (all.every(({ status }) => status === 'fulfilled')) break
    expect(performance.now() - back).toBeLessThan(10_000)
    await sleep(20)
  }
  const healthyAfter = performance.now() - back
  await sleep(300)
  await seen.stop()
  console.log(
    `${_name}: healthy after ${healthyAfter.toFixed(0)} ms, slowest ${seen.slowest.toFixed(0)} ms, ` +
      `${seen.answers} answers, ${seen.errors.length} errors`,
  )
  expect(seen.answers).toBeGreaterThan(answered)
  for (const error of seen.errors) expect(error).toBeInstanceOf(DatabaseOutage)
  expect(seen.slowest).toBeLessThan(DEADLINE + 3000)
  const kept = await sql<{ n: number }[]>`select n from written`
  const held = new Set(kept.map(({ n }) => n))
  expect(seen.acknowledged.filter((n) => !held.has(n))).toEqual([])
})

it('reports a lost separate connection, for any cause', async () => {
  for (const fault of ['reset', 'kill'] as const) {
    const connection = await connectAlone(database.url, 'test')
    const [row] = await connection.sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    if (fault === 'reset') database.proxy.reset()
    else process.kill(row!.pid, 'SIGTERM')
    await connection.lost
    await expect(connection.sql`select 1`).rejects.toBeInstanceOf(DatabaseOutage)
  }
  const connection = await connectAlone(database.url, 'test')
  database.proxy.hole()
  await expect(connection.sql`select 1`).rejects.toBeInstanceOf(DatabaseOutage)
  await expect(connectAlone(database.url, 'test')).rejects.toBeInstanceOf(DatabaseOutage)
  database.proxy.pass()
  await connection.lost
})
