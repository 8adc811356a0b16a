import { startServer } from '@ordbook/app/server.ts'
import { connect, connectSingle, type Queryable } from '@ordbook/db/driver/connect.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectInDoctor, expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import { freshDatabase, listAll, startMarket, type TestMarket, testConfig, until } from '../support/market.ts'
import { type FaultyDatabase, startFaultyDatabase } from './support/faults.ts'
import { type StreamingReplica, startReplica } from './support/replica.ts'

let database: FaultyDatabase
let replica: StreamingReplica
let market: TestMarket
beforeAll(async () => {
  database = await startFaultyDatabase()
  replica = await startReplica(database)
  market = await startMarket({ DATABASE_READ_URL: replica.url }, undefined, { databaseUrl: database.url })
})
afterAll(async () => {
  await market?.stop()
  await replica?.close()
  await database?.close()
})

const stateOf = () => market.server.context.replica!.state
const noteOf = async (sql: Queryable, name: string) => {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = ${name}`
  return row?.value
}
const write = (name: string, value: string) =>
  market.sql`insert into settings (name, value) values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`

it('returns each change in later reads', async () => {
  const { reads } = market.server.context
  const before = stateOf().answered.replica
  const writers = Array.from({ length: 4 }, async (_, k) => {
    for (let n = 0; n < 50; n++) {
      await write(`freshness ${k}`, String(n))
      expect(await noteOf(reads, `freshness ${k}`)).toBe(String(n))
    }
  })
  await Promise.all(writers)
  expect(stateOf().answered.replica - before).toBeGreaterThan(100)
})

it('reads from the primary while the replica lags', async () => {
  const trader = await market.trader()
  const { slug, ids } = await market.collection(trader.wallet, 1)
  const listed = async () =>
    (await trader.client.call('listListings', { query: { collectionSlug: slug } })).listings.length
  expect(await listed()).toBe(0)
  await replica.admin`select pg_wal_replay_pause()`
  try {
    await listAll(market, trader, slug, [ids[0]!], 50_000)
    expect(await listed()).toBe(1)
    expect(await noteOf(market.sql, 'chain')).toBe('regtest')
    await until('a lag', async () => (stateOf().lagSeconds ?? 0) > 0)
    const before = { ...stateOf().answered }
    await write('lag', 'seen')
    expect(await noteOf(market.server.context.reads, 'lag')).toBe('seen')
    expect(stateOf().answered.primary).toBeGreaterThan(before.primary)
    const metrics = await (await fetch(`${market.server.url}/metrics`)).text()
    expect(metrics).toMatch(/^ordbook_replica_up 1$/m)
    expect(metrics).toMatch(/^ordbook_replica_lag_seconds [0-9.]*[1-9]/m)
    expect(metrics).toMatch(/^ordbook_read_statements_total\{server="primary"\} [1-9]/m)
  } finally {
    await replica.admin`select pg_wal_replay_resume()`
  }
  await until('the lag to disappear', async () => stateOf().lagSeconds === 0)
  const before = { ...stateOf().answered }
  expect(await listed()).toBe(1)
  expect(await noteOf(market.server.context.reads, 'lag')).toBe('seen')
  expect(stateOf().answered.primary).toBe(before.primary)
  expect(stateOf().answered.replica).toBeGreaterThan(before.replica)
})

it('reads from the replica while the primary is down', async () => {
  const trader = await market.trader()
  const { slug } = await market.collection(trader.wallet, 3)
  const readBoth = async () => {
    const { items } = await trader.client.call('listCollectionInscriptions', { params: { slug } })
    return items.length
  }
  expect(await readBoth()).toBe(3)
  database.proxy.refuse()
  try {
    for (let n = 0; n < 20; n++) expect(await readBoth()).toBe(3)
    expect((await fetch(`${market.server.url}/readyz`)).status).toBe(200)
    const refused = await fetch(`${market.base}/auth/challenge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ordinalsAddress: trader.wallet.ordinalsAddress,
        paymentAddress: trader.wallet.paymentAddress,
      }),
    })
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
      503,
      'database-unavailable',
    ])
  } finally {
    database.proxy.pass()
  }
  await until('the primary to recover', async () => !stateOf().isPrimaryAway)
  await replica.kill()
  for (let n = 0; n < 20; n++) expect(await readBoth()).toBe(3)
  await until('an unavailable replica', async () => !stateOf().isUp)
  await expectInMetrics(['replica-down'], metricsAt(market.server.url))
  await replica.start()
  await until('the replica to recover', async () => stateOf().isUp)
})

it('reads from the replica if the primary drops packets', async () => {
  const trader = await market.trader()
  const { slug } = await market.collection(trader.wallet, 2)
  database.proxy.hole()
  try {
    for (let n = 0; n < 20; n++) {
      const { items } = await trader.client.call('listCollectionInscriptions', { params: { slug } })
      expect(items).toHaveLength(2)
    }
  } finally {
    database.proxy.pass()
  }
  await until('the primary to recover', () =>
    write('hole', 'passed').then(
      () => true,
      () => false,
    ),
  )
  expect(await noteOf(market.server.context.reads, 'hole')).toBe('passed')
})

describe('doctor', () => {
  const findingsOf = async (readUrl: string, url = database.url) => {
    const config = testConfig({ DATA_DIR: market.dataDir, DATABASE_READ_URL: readUrl })
    const findings = []
    for await (const finding of examine(config, url))
      if (['replica', 'replication', 'database'].includes(finding.about)) findings.push(finding)
    return findings
  }
  const idsOf = async (...urls: Parameters<typeof findingsOf>) =>
    (await findingsOf(...urls)).flatMap(({ fault }) => (fault && fault !== 'database-unsafe' ? [fault] : []))
  const asSuperuser = () => {
    const url = new URL(database.superuserUrl())
    url.pathname = new URL(database.url).pathname
    return url.href
  }

  it('reports the state of a replica', async () => {
    expect(await findingsOf(replica.url)).toContainEqual(
      expect.objectContaining({ about: 'replica', state: 'ok', found: 'replays the changes of the primary' }),
    )
    expect(await idsOf(replica.url, asSuperuser())).toEqual([])
    expect(await idsOf(replica.url)).toEqual(['replication-unknown'])
    expectInDoctor(['replication-unknown'], await findingsOf(replica.url))
    expectInDoctor(['replica-promoted'], await findingsOf(database.url))
    expectInDoctor(['replica-foreign'], await findingsOf(await freshDatabase()))
    expectInDoctor(['replica-down'], await findingsOf('postgres://127.0.0.1:1/none'))
    expectInDoctor(['database-read-only'], await findingsOf(replica.url, replica.url))
  })

  it('reports a replica whose replay is paused', async () => {
    await replica.admin`select pg_wal_replay_pause()`
    try {
      // Also while nothing is written.
      expect(await findingsOf(replica.url)).toContainEqual(
        expect.objectContaining({
          fault: 'replica-behind',
          state: 'warning',
          found: expect.stringMatching(/^its replay is paused; its last change is \d+ seconds old$/),
        }),
      )
      await write('paused', 'yes')
      const findings = await findingsOf(replica.url, asSuperuser())
      expectInDoctor(['replication-behind', 'replica-behind'], findings)
      // The lag grows while its replay is paused and the primary writes.
      await expectInMetrics(['replication-behind', 'replica-behind'], metricsAt(market.server.url))
    } finally {
      await replica.admin`select pg_wal_replay_resume()`
    }
    await until('the lag to disappear', async () => stateOf().lagSeconds === 0)
    expect(await idsOf(replica.url, asSuperuser())).toEqual([])
  }, 60_000)
})

it('finds the primary among several hosts', async () => {
  const { host } = new URL(replica.url)
  const url = database.url.replace('@', `@${host},127.0.0.1:1,`)
  const sql = connect(url, { max: 2, as: 'requests' })
  const alone = await connectSingle(url, 'test')
  try {
    for (const each of [sql, alone.sql])
      expect(await each`select pg_is_in_recovery() as is_replica`).toEqual([{ isReplica: false }])
  } finally {
    alone.destroy()
    await sql.end({ timeout: 1 })
  }
})

it('writes nothing on the replica', async () => {
  expect(replica.logged()).not.toMatch(/ERROR:.*/)
})

it('rejects a replica of another database', async () => {
  const config = testConfig({
    DATA_DIR: market.dataDir,
    ROLES: 'api',
    DATABASE_READ_URL: await freshDatabase(),
  })
  await expect(
    startServer({ ...config, databaseUrl: database.url, bitcoinRpcUrl: market.node.url }),
  ).rejects.toThrow(/DATABASE_READ_URL: found the database .*, expected a replica of ordbook/)
})
