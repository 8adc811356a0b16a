import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Listener, Observed, startReaders } from '../chaos/support/clients.ts'
import { KINDS, type Pair, patient, trade } from '../chaos/support/trades.ts'
import { freshDatabase, startMarket, type TestMarket, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

/**
 * Two servers behind a PgBouncer in transaction mode, with fewer connections than the servers use. Leases and LISTEN need sessions, so they
 * connect directly.
 */
const BACKENDS = 4
let folder: string
let pooler: ChildProcess
let market: TestMarket
let pairs: Pair[]
let observed: Observed
const servers: { url: string; process: ServerProcess }[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-pooler-'))
  const directUrl = await freshDatabase()
  const pooledUrl = await startPooler(directUrl)
  market = await startMarket({ ANCHOR_POOL: '100' }, undefined, { databaseUrl: directUrl })
  const people = []
  for (const kind of KINDS) {
    const seller = await market.trader('p2wpkh', 10_000_000)
    const buyer = await market.trader('p2wpkh', 10_000_000)
    people.push({ kind, seller, buyer, ...(await market.collection(seller.wallet, 4)) })
  }
  await market.anchors(20)
  await market.server.close()
  const ports = [await freePort(), await freePort()]
  for (const port of ports) {
    const process = spawnServer(market, port, { DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: directUrl })
    servers.push({ url: `http://127.0.0.1:${port}`, process })
    await process.ready()
  }
  observed = new Observed(ports, () => false)
  const [one, two] = servers
  pairs = []
  for (const { kind, seller, buyer, ...items } of people) {
    const surface = kind === 'swap' ? 'web' : 'api'
    pairs.push({
      kind,
      ...items,
      seller: await patient(seller, one!.url, surface),
      buyer: await patient(buyer, two!.url, surface),
    })
  }
}, 300_000)
afterAll(async () => {
  observed?.stop()
  for (const { process } of servers) await process.kill('SIGKILL')
  await market?.stop().catch(() => {})
  pooler?.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a PgBouncer for a database. Returns the URL of the pooled database. */
async function startPooler(directUrl: string): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(directUrl)
  const pooledPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const settings = [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password} connect_query='set statement_timeout = 8000'`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${pooledPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'max_client_conn = 200',
    `default_pool_size = ${BACKENDS}`,
  ]
  writeFileSync(file, settings.join('\n'))
  chmodSync(folder, 0o755)
  // PgBouncer does not run as root.
  const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  pooler = spawn('/usr/sbin/pgbouncer', [file], { ...unprivileged, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  pooler.stderr!.on('data', (text) => (log += text))
  const ended = once(pooler, 'exit').then(() => {
    throw new Error(`PgBouncer exited: ${log}`)
  })
  ended.catch(() => {})
  const url = new URL(directUrl)
  url.port = String(pooledPort)
  const sql = connect(url.href, { max: 1, isPooled: true })
  await Promise.race([
    ended,
    until('the pooler to be ready', () =>
      sql`select 1`.then(
        () => true,
        () => false,
      ),
    ),
  ])
  await sql.end()
  return url.href
}

it('settles trades of every kind through PgBouncer', async () => {
  const listener = new Listener(servers[0]!.url)
  const readers = startReaders(
    servers.map(({ url }) => url),
    pairs[0]!.seller.client.token!,
    pairs[0]!.slug,
  )
  try {
    const outcomes = (
      await Promise.all(
        pairs.map(async (pair) => [
          await trade({ market }, pair, () => {}),
          await trade({ market }, pair, () => {}),
        ]),
      )
    ).flat()
    for (const outcome of outcomes) expect(outcome).toMatchObject({ txid: expect.any(String) })
    await market.regtest.mine()
    const height = await market.regtest.call<number>('getblockcount')
    await until('the live event of the block', async () => listener.heights.includes(height))
    const txids = outcomes.map((outcome) => ('txid' in outcome ? outcome.txid : ''))
    await until('every trade to confirm', async () => {
      const rows = await market.sql`
        select 1 from settlements where state = 'confirmed' and settlement_txid in ${market.sql(txids)}`
      return rows.length === outcomes.length
    })
    const [sessions] = await market.sql<{ count: number }[]>`
      select count(*) from pg_stat_activity where application_name in ('ordbook requests', 'ordbook reads')`
    expect(sessions!.count).toBeGreaterThan(0)
    expect(sessions!.count).toBeLessThanOrEqual(BACKENDS)
  } finally {
    listener.stop()
    await readers.stop()
  }
  expect(observed.wrong).toEqual([])
  expect([...observed.statuses.keys()].filter((status) => status.startsWith('5'))).toEqual([])
  for (const { process } of servers) expect(process.child.exitCode).toBeNull()
})
