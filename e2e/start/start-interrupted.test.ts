import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterEach, expect, it } from 'vitest'
import { COLLECTIONS } from '../../scripts/demo/collections.ts'
import { Dice } from '../indexer/support/random-chain.ts'
import { sampled } from '../support/effort.ts'
import { until } from '../support/market.ts'

/** Interrupts first starts at random moments. ORDBOOK_SEED repeats a run. */
const root = join(import.meta.dirname, '../..')
const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))
const dice = new Dice(seed)
const ROUNDS = sampled(4, 40, 2)
/** Maximum seconds until all parts of a market have ended after `kill -9`. */
const END_SECONDS = 10
const KINDS = ['Ctrl-C', 'kill -9', 'PostgreSQL stopped', 'PostgreSQL killed'] as const
/** Sales in the demo's history: three in each of 24 blocks. */
const PAST_SALES = 72

interface Start {
  output(): string
  isOver(): boolean
  ready(): Promise<void>
  signal(signal: NodeJS.Signals): void
  ended: Promise<unknown>
}

const running = new Set<Start>()
const folders: string[] = []
afterEach(async () => {
  for (const start of running) start.signal('SIGINT')
  await Promise.all([...running].map(({ ended }) => ended))
  for (const folder of folders.splice(0)) remove(folder)
})

async function environment(): Promise<NodeJS.ProcessEnv & { DATA_DIR: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-interrupted-'))
  folders.push(folder)
  chmodSync(folder, 0o755)
  return {
    ...process.env,
    DATA_DIR: folder,
    PORT: String(await freePort()),
    PREVIEW_SOCKET: join(folder, 'previews'),
  }
}

/** Removes a data directory. As root, the database is stored elsewhere and also removed. */
function remove(folder: string): void {
  const instance = join(folder, 'instance')
  if (existsSync(instance))
    rmSync(join('/var/lib/ordbook', readFileSync(instance, 'utf8')), { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
}

/** Runs `npm start` as a process group, like a foreground job of a terminal. */
function start(env: NodeJS.ProcessEnv): Start {
  const child: ChildProcess = spawn('npm', ['start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let text = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (text += chunk))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const started: Start = {
    output: () => text,
    isOver,
    async ready() {
      for (const began = Date.now(); !text.includes('Ctrl-C stops everything'); await sleep(50))
        if (isOver() || Date.now() - began > 300_000)
          throw new Error(`the market did not become ready:\n${text}`)
    },
    signal(signal) {
      if (!isOver()) process.kill(-child.pid!, signal)
    },
    // Wait for `close`, not `exit`, because all processes of the group keep the output open.
    ended: new Promise<void>((done) => child.once('close', done)).then(() => running.delete(started)),
  }
  running.add(started)
  return started
}

/** Finds a market's processes by directories in their arguments or environment. */
function processesOf({ DATA_DIR }: { DATA_DIR: string }): string[] {
  const instance = join(DATA_DIR, 'instance')
  const names = [DATA_DIR, ...(existsSync(instance) ? [readFileSync(instance, 'utf8')] : [])]
  return readdirSync('/proc').filter((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8')
      return /^\d+$/.test(pid) && names.some((name) => text.includes(name))
    } catch {
      return false
    }
  })
}

/** Returns the postmaster's pid of a data directory, or null. */
function postmasterOf({ DATA_DIR }: { DATA_DIR: string }): number | null {
  const instance = join(DATA_DIR, 'instance')
  const home = existsSync(instance) ? join('/var/lib/ordbook', readFileSync(instance, 'utf8')) : DATA_DIR
  const file = join(home, 'postgres/postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null
}

const expectEnd = (env: { DATA_DIR: string }) =>
  until('all processes to end', async () => processesOf(env).length === 0, END_SECONDS)

/** Returns true if trading is open. It pauses for a while after a database outage. */
const isOpen = ({ PORT }: NodeJS.ProcessEnv): Promise<boolean> =>
  fetch(`http://127.0.0.1:${PORT}/status`).then(
    async (response) => ((await response.json()) as { trading: string }).trading === 'open',
    () => false,
  )

async function trade(env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('npm', ['run', '-s', 'demo', '--', 'trade'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (text += chunk))
  const code = await new Promise((done) => child.once('close', done))
  expect(code, text).toBe(0)
  expect(text).toMatch(/settlement {3}[a-f0-9]{64}\n {2}new owner {4}bcrt1p/)
}

async function expectWhole({ DATA_DIR }: { DATA_DIR: string }): Promise<void> {
  const { databaseUrl } = JSON.parse(readFileSync(join(DATA_DIR, 'running.json'), 'utf8'))
  const sql = connect(databaseUrl, { max: 1 })
  const [row] = await sql<{ items: number; inscriptions: number; past: number }[]>`
    select (select count(*) from collection_items) as items, (select count(*) from inscription_rows) as inscriptions,
      (select count(*) from sales where sale_type = 'external') as past`
  await sql.end()
  const items = COLLECTIONS.reduce((sum, collection) => sum + collection.items().length, 0)
  expect(row).toEqual({ items, inscriptions: items, past: PAST_SALES })
}

let duration = 0

it('becomes ready without an interruption', async () => {
  const env = await environment()
  const began = Date.now()
  const uninterrupted = start(env)
  await uninterrupted.ready()
  duration = Date.now() - began
  await expectWhole(env)
  uninterrupted.signal('SIGKILL')
  await expectEnd(env)
  console.log(`seed ${seed}, ${ROUNDS} rounds, ${(duration / 1000).toFixed(1)} s for a first start`)
})

for (let round = 1; round <= ROUNDS; round++) {
  const kinds = [KINDS[round % KINDS.length]!, ...(dice.chance(25) ? [dice.pick(KINDS)] : [])]
  const steps = kinds.map((kind) => ({ kind, moment: dice.roll(1000) / 1000, waits: dice.chance(50) }))
  const name = steps.map(({ kind, moment }) => `${kind} at ${moment}`).join(' and ')
  it(`starts a market after ${name}`, async () => {
    const env = await environment()
    let current = start(env)
    for (const { kind, moment, waits } of steps) {
      await sleep(moment * duration)
      if (kind === 'Ctrl-C') {
        current.signal('SIGINT')
        await current.ended
        await expectEnd(env)
      } else if (kind === 'kill -9') {
        current.signal('SIGKILL')
        if (waits) await expectEnd(env)
      } else {
        await until('PostgreSQL', async () => postmasterOf(env) !== null || current.isOver(), 120)
        const pid = postmasterOf(env)
        if (pid !== null) {
          process.kill(pid, kind === 'PostgreSQL killed' ? 'SIGKILL' : 'SIGINT')
          await until('another PostgreSQL', async () => ![pid, null].includes(postmasterOf(env)), 120)
        }
        continue
      }
      expect(current.output()).not.toMatch(/\n\s+at /)
      current = start(env)
    }
    await current.ready()
    await until('open trading', () => isOpen(env), 120)
    await trade(env)
    await expectWhole(env)
    current.signal('SIGINT')
    await current.ended
    expect(current.output()).not.toMatch(/\n\s+at /)
    await expectEnd(env)
  })
}
