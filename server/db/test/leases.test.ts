import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { fenced, Lease, LeaseLost } from '@ordbook/db/lease/lease.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { freshDatabase, until } from '../../../e2e/support/market.ts'

/** Two processes with the same role, simulated by two leases on one database. */
let url: string
let sql: Sql
let stopping: AbortController
let running: Promise<unknown>[]
let pools: Sql[]
beforeAll(async () => {
  url = await freshDatabase()
  const setup = connect(url, { max: 1 })
  await migrate(setup)
  await setup`create table written (by text)`
  await setup.end()
})
beforeEach(async () => {
  sql = connect(url)
  await sql`delete from written`
  stopping = new AbortController()
  running = []
  pools = []
})
afterEach(async () => {
  stopping.abort()
  await Promise.all(running)
  await Promise.all([sql, ...pools].map((pool) => pool.end()))
})

function openFenced(lease: Lease): Sql {
  const pool = fenced(url, lease, { as: 'tools', max: 1 })
  pools.push(pool)
  return pool
}

interface Candidate {
  lease: Lease
  /** One signal for each time that the candidate got the lease. */
  holdings: AbortSignal[]
  stop(): void
}

/** Acquires the lease repeatedly, like the loop of a server. */
function candidate(): Candidate {
  const lease = new Lease(url, 'jobs')
  const controller = new AbortController()
  const signal = AbortSignal.any([controller.signal, stopping.signal])
  const holdings: AbortSignal[] = []
  const run = async () => {
    while (!signal.aborted)
      await lease
        .hold(signal, 20, (held) => {
          holdings.push(held)
          return new Promise((done) => held.addEventListener('abort', () => done()))
        })
        .catch(() => {})
  }
  running.push(run())
  return { lease, holdings, stop: () => controller.abort() }
}

it('grants the lease to one process at a time', async () => {
  const first = candidate()
  await until('the first lease', async () => first.lease.isHeld)
  const second = candidate()
  await until('a second on standby', async () => second.lease.isElsewhere)
  expect(second.lease.isHeld).toBe(false)
  expect(
    await sql`select 1 from leases where role = 'jobs' and expires_at > now() + interval '5 s'`,
  ).toHaveLength(1)
  first.stop()
  await until('the second lease', async () => second.lease.isHeld)
  expect(first.lease.isHeld).toBe(false)
})

it('aborts the work of a holder that lost the lease', async () => {
  const first = candidate()
  await until('the first lease', async () => first.lease.isHeld)
  const old = first.lease.fence()
  const fencedSql = openFenced(first.lease)
  await fencedSql`insert into written values ('first')`
  first.stop()
  const second = candidate()
  await until('the second lease', async () => second.lease.isHeld)
  expect(first.holdings[0]!.aborted).toBe(true)
  await expect(fencedSql`insert into written values ('late')`).rejects.toBeInstanceOf(LeaseLost)
  await expect(fencedSql.begin((tx) => tx`insert into written values ('late')`)).rejects.toBeInstanceOf(
    LeaseLost,
  )
  // PostgreSQL rejects a process that has not noticed the loss.
  await expect(sql.begin((tx) => tx`insert into written values ('late')`, old)).rejects.toMatchObject({
    code: 'OB001',
  })
  await openFenced(second.lease)`insert into written values ('second')`
  expect(await sql`select by from written order by by`).toEqual([{ by: 'first' }, { by: 'second' }])
})

it('grants the lease again after a lost connection', async () => {
  const only = candidate()
  await until('the lease', async () => only.lease.isHeld)
  const old = only.lease.fence()
  await sql`select pg_terminate_backend(backend) from leases where role = 'jobs'`
  await until('the lease again', async () => only.holdings.length === 2 && only.lease.isHeld)
  expect(only.holdings[0]!.aborted).toBe(true)
  expect(only.lease.fence()).not.toBe(old)
  await expect(sql.begin((tx) => tx`insert into written values ('late')`, old)).rejects.toMatchObject({
    code: 'OB001',
  })
})

it('a fenced pool rejects writes without the lease', async () => {
  const lease = new Lease(url, 'jobs')
  const fencedSql = openFenced(lease)
  expect(await fencedSql`select 1 as one`).toEqual([{ one: 1 }])
  await sql`
    create or replace function write_down() returns int language sql as $$ insert into written values ('hidden') returning 1 $$`
  await expect(fencedSql`select write_down()`).rejects.toBeInstanceOf(LeaseLost)
  expect(await sql`select by from written`).toEqual([])
})

it('grants the lease after the clock was set back', async () => {
  await sql`
    update leases set holder = ${randomUUID()}, backend = pg_backend_pid(), token = token + 1,
      expires_at = clock_timestamp() + interval '1 hour' where role = 'jobs'`
  const next = candidate()
  await until('the lease', async () => next.lease.isHeld)
})

it.each([
  ['is finished', 'select 1'],
  ['is running', 'select pg_sleep(600)'],
])('ends the transaction of a hung holder whose statement %s', async (_, statement) => {
  const holder = randomUUID()
  const taken = Promise.withResolvers<void>()
  const hanging = connect(url, { max: 1, name: `ordbook jobs ${holder.slice(0, 8)}` })
  const [row] = await hanging<{ token: number }[]>`
    update leases set holder = ${holder}, backend = pg_backend_pid(), token = token + 1,
      expires_at = clock_timestamp() + interval '1 s' where role = 'jobs' returning token`
  const open = hanging.begin(async (tx) => {
    await tx`insert into written values ('hanging')`
    await tx.unsafe(statement)
    await taken.promise
    await tx`select 1`
  }, `select hold_lease('jobs', ${row!.token})`)
  open.catch(() => {})
  const next = candidate()
  await until('the lease', async () => next.lease.isHeld)
  taken.resolve()
  await openFenced(next.lease)`insert into written values ('next')`
  expect(await sql`select by from written`).toEqual([{ by: 'next' }])
  await expect(open).rejects.toMatchObject({ kind: 'unavailable' })
  await hanging.end()
})
