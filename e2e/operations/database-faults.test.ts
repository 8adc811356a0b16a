import { setTimeout as sleep } from 'node:timers/promises'
import { connect, connectSingle, inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { type FaultyDatabase, startFaultyDatabase } from './support/faults.ts'

/**
 * A connection pool under load while the database is stopped, killed, frozen or unreachable. There must be no uncaught error (vitest fails
 * on one), callers must not wait longer than their deadline, every error must be a DatabaseOutage, and the pool must recover.
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

/** Time limits for connecting, for a statement with its grace period, and for a rollback, in milliseconds. */
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
  const results: Load = { answers: 0, errors: [], slowest: 0, acknowledged: [], stop }
  let isRunning = true
  const timed = async (work: () => Promise<unknown>) => {
    const started = performance.now()
    try {
      await work()
      results.answers++
    } catch (error) {
      results.errors.push(error)
      await sleep(20)
    }
    results.slowest = Math.max(results.slowest, performance.now() - started)
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
      results.acknowledged.push(n)
    },
  ]
  const workers = Array.from({ length: 12 }, async (_, k) => {
    while (isRunning) await timed(kinds[k % kinds.length]!)
  })
  async function stop() {
    isRunning = false
    await Promise.all(workers)
  }
  return results
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
  'kill -9 of a busy session': async () => {
    const [victim] = database.sessions('SELECT')
    process.kill(victim ?? database.sessions()[0]!, 'SIGKILL')
    await sleep(200)
  },
  'termination of every session in turn': async () => {
    for (const pid of database.sessions()) process.kill(pid, 'SIGTERM')
    await sleep(50)
  },
  'hanging sessions': async () => {
    database.freeze('sessions')
    await sleep(HOLD)
    database.thaw()
  },
  'a hanging server': async () => {
    database.freeze('all')
    await sleep(HOLD)
    database.thaw()
  },
  'a network that drops all packets': async () => {
    database.proxy.hole()
    await sleep(HOLD)
    database.proxy.pass()
  },
  'a network that refuses connections': async () => {
    database.proxy.refuse()
    await sleep(500)
    database.proxy.pass()
  },
  'a network that resets all connections': async () => {
    database.proxy.reset()
    await sleep(50)
  },
}

it.each(Object.entries(faults))('survives %s', async (_name, fault) => {
  const results = load()
  await sleep(300)
  const answered = results.answers
  expect(answered).toBeGreaterThan(0)
  await fault()
  // The pool is healthy once it serves twice as many concurrent callers as it has connections.
  const faultEndedAt = performance.now()
  for (;;) {
    const all = await Promise.allSettled(Array.from({ length: 12 }, () => sql`select 1`))
    if (all.every(({ status }) => status === 'fulfilled')) break
    expect(performance.now() - faultEndedAt).toBeLessThan(10_000)
    await sleep(20)
  }
  const healthyAfter = performance.now() - faultEndedAt
  await sleep(300)
  await results.stop()
  console.log(
    `${_name}: healthy after ${healthyAfter.toFixed(0)} ms, slowest ${results.slowest.toFixed(0)} ms, ` +
      `${results.answers} answers, ${results.errors.length} errors`,
  )
  expect(results.answers).toBeGreaterThan(answered)
  for (const error of results.errors) expect(error).toBeInstanceOf(DatabaseOutage)
  expect(results.slowest).toBeLessThan(DEADLINE + 3000)
  const rows = await sql<{ n: number }[]>`select n from written`
  const committed = new Set(rows.map(({ n }) => n))
  expect(results.acknowledged.filter((n) => !committed.has(n))).toEqual([])
})

it('rejects statements on a broken connection', async () => {
  for (const fault of ['reset', 'kill'] as const) {
    const connection = await connectSingle(database.url, 'test')
    const [row] = await connection.sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    if (fault === 'reset') database.proxy.reset()
    else process.kill(row!.pid, 'SIGTERM')
    await connection.lost
    await expect(connection.sql`select 1`).rejects.toBeInstanceOf(DatabaseOutage)
  }
  const connection = await connectSingle(database.url, 'test')
  database.proxy.hole()
  await expect(connection.sql`select 1`).rejects.toBeInstanceOf(DatabaseOutage)
  await expect(connectSingle(database.url, 'test')).rejects.toBeInstanceOf(DatabaseOutage)
  database.proxy.pass()
  await connection.lost
})
