import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { placeForRenderer } from '../../scripts/start/previews.ts'
import { until } from '../support/market.ts'
import { nodeKind, startNode, type TestNode } from '../support/node.ts'

const scripts = join(import.meta.dirname, '../../scripts')
let dataDir: string
let node: TestNode | undefined
let environment: NodeJS.ProcessEnv
let child: ChildProcess | undefined
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'ordbook-start-'))
  chmodSync(dataDir, 0o755)
  environment = { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()) }
  if (nodeKind === 'devnet') return
  // With an external node, the demo market is off by default.
  node = await startNode()
  environment.BITCOIN_RPC_URL = node.url
})
afterAll(async () => {
  await end('SIGINT')
  await node?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

function run(
  script: string,
  ...args: string[]
): { child: ChildProcess; output: () => string; ended: Promise<number | null> } {
  const started = spawn(
    process.execPath,
    [join(scripts, script), ...(node && script === 'start.ts' ? ['--demo'] : []), ...args],
    {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let text = ''
  for (const stream of [started.stdout!, started.stderr!]) stream.on('data', (chunk) => (text += chunk))
  return {
    child: started,
    output: () => text,
    ended: new Promise((done) => started.once('exit', (code) => done(code))),
  }
}

async function start(): Promise<string> {
  const started = run('start.ts')
  child = started.child
  for (let waited = 0; waited < 120_000; waited += 50) {
    if (started.output().includes('Ctrl-C stops everything')) return started.output()
    if (child.exitCode !== null) break
    await new Promise((done) => setTimeout(done, 50))
  }
  throw new Error(`the market did not become ready:\n${started.output()}`)
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return null
  const exited = new Promise<number | null>((done) => child!.once('exit', (code) => done(code)))
  child.kill(signal)
  return exited
}

/** Runs an operator's command, which must succeed. Returns its output. */
async function operate(...args: string[]): Promise<string> {
  const { output, ended } = run('market/operate.ts', ...args)
  expect(await ended, output()).toBe(0)
  return output()
}

async function trade(): Promise<string> {
  const { output, ended } = run('market/demo.ts', 'trade')
  expect(await ended, output()).toBe(0)
  expect(output()).toMatch(/settlement {3}[a-f0-9]{64}\n {2}new owner {4}bcrt1p/)
  return output()
}

const running = () => JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8'))

/** Returns the number of sales through the market. Each demo trade sells an item and sells it back. */
async function countSales(): Promise<number> {
  const sql = connect(running().databaseUrl, { max: 1 })
  const [row] = await sql<
    { count: number }[]
  >`select count(*) as count from sales where sale_type = 'internal'`
  await sql.end()
  return row!.count
}

/** Returns the largest number of events that a profile's inbox has of one day. */
async function countEventsOfADay(): Promise<number> {
  const sql = connect(running().databaseUrl, { max: 1 })
  const [row] = await sql<{ count: number }[]>`
    select coalesce(max(n), 0) as count
    from (select count(*) as n from inbox group by profile_id, date_trunc('day', at)) days`
  await sql.end()
  return row!.count
}

it('resumes with its data after kill -9', async () => {
  expect(await start()).toContain('npm run demo -- trade')
  await until('the sale of the demo', async () => (await countSales()) === 1)
  // Also after the month of trading of the demo.
  await until('an event', async () => (await countEventsOfADay()) > 0)
  expect(await countEventsOfADay()).toBeLessThanOrEqual(10)
  const [settlementTxid] = /[a-f0-9]{64}/.exec(/settlement.*/.exec(await trade())![0])!
  expect(await operate('receipt', settlementTxid)).toContain('the receipt matches the chain')
  expect(await operate('orders')).toContain('every listing matches its log')
  expect(await operate('pool')).toMatch(/free anchors +\d+ of 100[\s\S]*state +good/)
  expect(await operate('pool', 'fund', '50000')).toContain('sent 50000 sats')
  expect(await operate('royalty', 'harbour-lamps', 'none')).toContain('harbour-lamps: no royalty')
  const reimport = run('market/import-collections.ts', join(dataDir, 'demo-collections'))
  expect(await reimport.ended, reimport.output()).toBe(0)
  expect(reimport.output()).toMatch(/imported \d+ collections with \d+ inscriptions \(0 new or changed\)/)
  const wrong = run('market/operate.ts', 'royalty', 'harbour-lamps', 'nonsense', '1', '1')
  expect(await wrong.ended).toBe(1)
  expect(wrong.output()).toContain('nonsense is not a regtest address')
  const second = run('start.ts')
  expect(await second.ended).toBe(1)
  expect(second.output()).toContain('is already running')
  const { rpcUrl } = running()

  expect(await end('SIGINT')).toBe(0)
  expect(existsSync(join(dataDir, 'running.json'))).toBe(false)
  expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false)
  if (!node) await expect(fetch(rpcUrl.replace(/\/\/.*@/, '//'))).rejects.toThrow()

  await start()
  expect(await countSales()).toBe(3)
  await trade()
  const { renderer } = await partsWithRenderer(child!)
  await end('SIGKILL')
  if (renderer) await until('the renderer to end', async () => !existsSync(`/proc/${renderer}`))
  await start()
  expect(await countSales()).toBe(5)
  await trade()
  expect(await countSales()).toBe(7)
  expect(await end('SIGTERM')).toBe(0)
})

/** Returns the pids of processes supervised by `npm start`. */
function partsOf(
  parent: ChildProcess,
): Record<'server' | 'devnet' | 'postgres' | 'renderer', number | undefined> {
  const pids = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim().split(' ')
  const find = (word: string) =>
    pids.map(Number).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word))
  return {
    server: find('server/app/src/main.ts'),
    devnet: find('devnet/src/main.ts'),
    postgres: find('/postgres'),
    renderer: find('previews/src/main.ts'),
  }
}

/** Like `partsOf`, but waits for the renderer. Without a browser there is none. */
async function partsWithRenderer(parent: ChildProcess) {
  const place = placeForRenderer()
  if ('socket' in place) {
    place.remove()
    await until('the renderer', async () => partsOf(parent).renderer !== undefined)
  }
  return partsOf(parent)
}

it('restarts each killed process', async () => {
  environment = { ...environment, RATE_LIMITS: 'off' }
  const output = await start()
  expect(output).not.toContain('restarting in')
  for (const part of ['server', 'postgres', 'devnet'] as const) {
    const pid = partsOf(child!)[part]
    if (part === 'devnet' && node) continue
    process.kill(pid!, 'SIGKILL')
    await until(`another ${part}`, async () => {
      const now = partsOf(child!)[part]
      return now !== undefined && now !== pid
    })
    await until('open trading', async () => {
      const status: any = await fetch(`${running().url}/status`).then(
        (answer) => answer.json(),
        () => null,
      )
      return status?.trading === 'open'
    })
    await trade()
  }
  expect(await end('SIGINT')).toBe(0)
})

/** Starts a new market, which must fail. Returns its output without progress lines. */
async function failToStart(settings: NodeJS.ProcessEnv, meanwhile?: (output: () => string) => Promise<void>) {
  environment = { ...environment, ...settings }
  const { output, ended } = run('start.ts')
  await meanwhile?.(output)
  expect(await ended, output()).toBe(1)
  return output()
    .split('\n')
    .filter((line) => line.trim() !== '' && line !== 'ordbook' && !/^ +[\d.]+ s {2}/.test(line))
}

it('exits with one sentence if its port is in use', async () => {
  const before = { ...environment }
  const port = await freePort()
  const other = createServer()
  const listen = () => new Promise<void>((done) => other.listen(port, '127.0.0.1', done))
  const sentence = new RegExp(`^ *PORT: port ${port} on 127.0.0.1 is in use. Set PORT to a free port`)
  const DATA_DIR = join(dataDir, 'port')
  try {
    const during = await failToStart({ DATA_DIR, PORT: String(port) }, async (output) => {
      await until('the port to be checked', async () => output().includes('starting'))
      await listen()
    })
    expect(during).toEqual([expect.stringMatching(sentence)])
    expect(await failToStart({})).toEqual([expect.stringMatching(sentence)])
  } finally {
    other.close()
    environment = before
  }
})

const disk = join(tmpdir(), `ordbook-full-${process.pid}`)
mkdirSync(disk)
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=755', 'tmpfs', disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
})

// Mounting the small disk requires root.
it.skipIf(!isMounted)('exits with one sentence if the disk is full', async () => {
  const before = { ...environment }
  try {
    const lines = await failToStart({ DATA_DIR: disk, PORT: String(await freePort()) })
    expect(lines).toEqual([
      expect.stringMatching(`^  Not enough space on the disk of ${disk}: \\d+ MB are free. Free some space`),
    ])
  } finally {
    environment = before
  }
})

it('reports an unreachable node without its password', async () => {
  environment = { ...environment, BITCOIN_RPC_URL: 'http://user:secret@127.0.0.1:1/' }
  const { output, ended } = run('start.ts')
  expect(await ended).toBe(1)
  expect(output()).toContain('BITCOIN_RPC_URL: no response from 127.0.0.1:1')
  expect(output()).not.toContain('secret')
})

it('reports the expected format of an invalid setting', async () => {
  environment = { ...environment, LISTING_MIN_SATS: 'many', CHAIN: 'moon' }
  const { output, ended } = run('start.ts')
  expect(await ended).toBe(1)
  expect(output()).toContain('LISTING_MIN_SATS: found "many", expected an integer from 546')
  expect(output()).toContain('CHAIN: found "moon", expected one of main, test, signet, regtest')
})
