import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import type { Finding } from '@ordbook/operations/doctor/finding.ts'
import { afterAll, beforeAll, it } from 'vitest'
import { expectInDoctor, expectInMetrics, expectInStatus, metricsAt } from '../support/faults/fault-places.ts'
import { startProxy, type TcpProxy } from '../support/faults/proxy.ts'
import { setUpMarket, testConfig, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'
import { startDelay, startPatchedNode } from './support/altered.ts'

/** Produces faults on a running server, and looks for each in all places of docs/reference/faults.md. */
const market = setUpMarket()
const folder = mkdtempSync(join(tmpdir(), 'ordbook-faults-'))
type Patches = Parameters<typeof startPatchedNode>[1]
const patches: { -readonly [method in keyof Patches]: Patches[method] } = {}
let node: Awaited<ReturnType<typeof startPatchedNode>>
let delay: Awaited<ReturnType<typeof startDelay>>
let proxy: TcpProxy
let server: ServerProcess
let url: string
let settings: Record<string, string>

beforeAll(async () => {
  node = await startPatchedNode(market.node.url, patches)
  delay = await startDelay(Number(new URL(market.databaseUrl).port), 0)
  proxy = await startProxy(delay.port)
  const database = new URL(market.databaseUrl)
  database.port = String(proxy.port)
  settings = {
    ROLES: 'api',
    DATA_DIR: market.dataDir,
    DATABASE_URL: database.href,
    BITCOIN_RPC_URL: node.url,
    REDIS_URL: 'redis://127.0.0.1:1',
    // Redis only counts requests.
    RATE_LIMITS: 'on',
    RATE_LIMIT_WEB_READS: '10000/10000',
    ANCHOR_POOL: '1000',
    PREVIEW_SOCKET: join(folder, 'previews'),
  }
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = spawnServer(market, port, settings)
  await server.ready()
}, 60_000)
afterAll(async () => {
  await server?.kill('SIGKILL')
  await proxy?.close()
  delay?.close()
  await node?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function findings(): Promise<Finding[]> {
  const found: Finding[] = []
  for await (const each of examine(testConfig(settings), settings.DATABASE_URL!)) found.push(each)
  return found
}
const metrics = () => metricsAt(url)()

/** Sends requests that are not cached. */
const requestMany = () =>
  Promise.all(Array.from({ length: 60 }, () => fetch(`${url}/web/v1/collections/none-${randomUUID()}/items`)))

/** Runs the doctor in another process with a module of e2e/support/faults preloaded. */
async function findingsWith(preload: string, environment: Record<string, string>): Promise<Finding[]> {
  const root = join(import.meta.dirname, '../..')
  const flags = [
    '--import',
    join(root, 'e2e/support/faults', preload),
    join(root, 'scripts/market/doctor.ts'),
    '--json',
  ]
  const env = { ...process.env, ...settings, ...environment }
  const { stdout } = await promisify(execFile)(process.execPath, flags, { env }).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finding)
}

it('reports Redis that does not respond', async () => {
  expectInDoctor(['redis-down'], await findings())
  await expectInMetrics(['redis-down'], metrics)
})

it('reports a pool that is filling up', async () => {
  expectInDoctor(['coins-low'], await findings())
  await expectInMetrics(['coins-low'], metrics)
})

it('reports a stalled renderer', async () => {
  await market.sql`
    insert into previews (content_key, inscription_id, kind, state, due_at)
    values ('\\x01', 'a', 'raster', 'waiting', now() - interval '11 minutes')`
  try {
    expectInDoctor(['previews-stalled'], await findings())
    await expectInMetrics(['previews-stalled'], metrics)
  } finally {
    await market.sql`delete from previews`
  }
})

it('reports a slow database and slow requests', async () => {
  try {
    delay.milliseconds = 300
    expectInDoctor(['database-slow'], await findings())
    await expectInMetrics(['database-slow'], metrics)
    delay.milliseconds = 2100
    await expectInMetrics(['requests-slow'], metrics, requestMany)
  } finally {
    delay.milliseconds = 0
  }
}, 120_000)

it('reports a database that does not respond, and failed requests', async () => {
  proxy.refuse()
  try {
    expectInDoctor(['database-down'], await findings())
    await expectInStatus(['database-down'], url)
    await expectInMetrics(['database-down'], metrics)
    await expectInMetrics(['requests-fail'], metrics, requestMany)
  } finally {
    proxy.pass()
  }
  await until('the database', async () => /^ordbook_database_up 1$/m.test(await metrics()))
}, 120_000)

it('reports a clock that is wrong', async () => {
  const shift = { CLOCK_SHIFT_SECONDS: '5' }
  const port = await freePort()
  const shifted = spawnServer(market, port, { ROLES: 'api', ...shift }, 'shifted-clock.ts')
  try {
    await shifted.ready()
    await expectInMetrics(['clock-off'], metricsAt(`http://127.0.0.1:${port}`))
    expectInDoctor(['clock-off'], await findingsWith('shifted-clock.ts', shift))
  } finally {
    await shifted.kill('SIGKILL')
  }
})

/** True if this user may mount a small file system. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0

it.skipIf(!canMount)('reports a disk that is full', async () => {
  const disk = mkdtempSync(join(folder, 'disk-'))
  const mount = (...args: string[]) => execFileSync('mount', [...args, disk])
  mount('-t', 'tmpfs', '-o', 'size=5g', 'tmpfs')
  const port = await freePort()
  let small: ServerProcess | undefined
  try {
    cpSync(market.dataDir, disk, { recursive: true })
    small = spawnServer(market, port, { ROLES: 'api', DATA_DIR: disk })
    await small.ready()
    const at = { ...settings }
    settings = { ...settings, DATA_DIR: disk }
    expectInDoctor(['disk-low'], await findings())
    await expectInMetrics(['disk-low'], metricsAt(`http://127.0.0.1:${port}`))
    mount('-o', 'remount,size=500m')
    expectInDoctor(['disk-full'], await findings())
    await expectInMetrics(['disk-full'], metricsAt(`http://127.0.0.1:${port}`))
    settings = at
  } finally {
    await small?.kill('SIGKILL')
    execFileSync('umount', [disk])
  }
})

it('reports missing roles and an old mempool', async () => {
  await market.server.close()
  await market.sql`update mempool_poll set polled_at = polled_at - interval '2 minutes'`
  expectInDoctor(['role-idle', 'mempool-stale'], await findings())
  await expectInMetrics(['role-idle', 'mempool-stale', 'trading-paused'], metrics)
  await expectInStatus(['mempool-stale'], url)
})

it('reports an old newest block', async () => {
  await market.sql`update blocks set mined_at = mined_at - interval '3 hours'`
  patches.getblockchaininfo = (info) => ({ ...info, headers: 9000, initialblockdownload: true })
  try {
    expectInDoctor(['node-syncing'], await findings())
    await expectInMetrics(['node-syncing', 'chain-stale'], metrics)
  } finally {
    await market.sql`update blocks set mined_at = mined_at + interval '3 hours'`
    delete patches.getblockchaininfo
  }
})

it('reports an index that is behind', async () => {
  await market.regtest.mine(20)
  expectInDoctor(['index-behind'], await findings())
  await expectInStatus(['index-behind'], url)
  await expectInMetrics(['index-behind'], metrics)
})

it('reports a node that is behind the index', async () => {
  const [tip] = await market.sql<{ hash: string }[]>`
    select block_hash as hash from blocks order by height desc limit 1`
  await market.regtest.call('invalidateblock', tip!.hash)
  expectInDoctor(['node-behind'], await findings())
  await expectInStatus(['node-behind'], url)
  await expectInMetrics(['node-behind'], metrics)
})

it('reports a node that does not respond', async () => {
  await node.close()
  expectInDoctor(['node-down'], await findings())
  await expectInStatus(['node-down'], url)
  await expectInMetrics(['node-down'], metrics)
})
