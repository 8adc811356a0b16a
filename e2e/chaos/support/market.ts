import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { type FaultyDatabase, startFaultyDatabase } from '../../operations/support/faults.ts'
import { startProxy, type TcpProxy } from '../../support/faults/proxy.ts'
import { startMarket, type TestMarket, until } from '../../support/market.ts'
import { type ServerProcess, spawnServer } from '../../support/server.ts'

export const REQUEST_SECONDS = 10
/** Maximum recovery time after an outage, in seconds. */
export const RECOVERY_SECONDS = 60
const MANY = { perIp: 1_000_000, perKey: 1_000_000 }

/** Two servers that share a database, a node and a Redis, all of which can fail on demand. */
export interface ChaosMarket {
  market: TestMarket
  database: FaultyDatabase
  nodeProxy: TcpProxy
  redis: { kill(): Promise<void>; start(): Promise<void>; signal(signal: NodeJS.Signals): void }
  servers: { url: string; port: number; process: ServerProcess }[]
  /** Sets the second server's clock, in libfaketime syntax: `+8d`, `-1h`, `+0`. */
  turnClock(to: string): void
  restart(n: number): Promise<void>
  mine(): Promise<number>
  stop(): Promise<void>
}

export async function startChaosMarket(): Promise<ChaosMarket> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-chaos-'))
  const database = await startFaultyDatabase()
  const market = await startMarket({ ANCHOR_POOL: '300' }, undefined, { databaseUrl: database.url })
  const nodeProxy = await startProxy(Number(new URL(market.node.url).port))
  const nodeUrl = new URL(market.node.url)
  nodeUrl.port = String(nodeProxy.port)
  const redis = await startRedis()
  const clock = join(folder, 'clock')
  const turnClock = (to: string) => writeFileSync(clock, to)
  turnClock('+0')
  const ports = [await freePort(), await freePort()]
  const spawnAt = (n: number) =>
    spawnServer(market, ports[n]!, {
      BITCOIN_RPC_URL: nodeUrl.href,
      REDIS_URL: redis.url,
      // Limits are on, to use Redis, but too high to reject requests.
      RATE_LIMITS: 'on',
      RATE_LIMIT_READS: '1000000/1000000',
      RATE_LIMIT_WRITES: '1000000/1000000',
      RATE_LIMIT_WEB_READS: '1000000/1000000',
      tuning: {
        rateLimitChallenge: MANY,
        rateLimitVerify: MANY,
        rateLimitStatus: 1_000_000,
        requestSeconds: REQUEST_SECONDS,
        tailPool: 40,
      },
      LOG_LEVEL: process.env.ORDBOOK_CHAOS_LOG ?? 'silent',
      ANCHOR_POOL: '300',
      ...(n === 1 ? { LD_PRELOAD: faketime(), FAKETIME_TIMESTAMP_FILE: clock, ...FAKETIME } : {}),
    })
  const servers = ports.map((port) => ({
    url: `http://127.0.0.1:${port}`,
    port,
    process: null! as ServerProcess,
  }))
  const restart = async (n: number) => {
    servers[n]!.process = spawnAt(n)
    await servers[n]!.process.ready()
  }
  return {
    market,
    database,
    nodeProxy,
    redis,
    servers,
    turnClock,
    async restart(n) {
      await restart(n)
    },
    async mine() {
      await market.regtest.mine()
      const height = await market.regtest.call<number>('getblockcount')
      await until(
        `block ${height} in the index`,
        async () => {
          const [row] = await market.sql<
            { height: number }[]
          >`select max(height) as height from blocks`.catch(() => [])
          return row?.height === height
        },
        RECOVERY_SECONDS,
      )
      return height
    },
    async stop() {
      for (const { process } of servers) await process?.kill('SIGKILL')
      await redis.kill()
      await nodeProxy.close()
      await market.stop().catch(() => {})
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Fake only the wall clock, and read the file at each call. */
const FAKETIME = { FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' }

function faketime(): string {
  for (const folder of ['/usr/lib/x86_64-linux-gnu/faketime', '/usr/lib/aarch64-linux-gnu/faketime'])
    try {
      if (readdirSync(folder).includes('libfaketime.so.1')) return join(folder, 'libfaketime.so.1')
    } catch {
      // Not installed for this architecture.
    }
  throw new Error('libfaketime not found: install the package faketime')
}

async function startRedis() {
  const port = await freePort()
  let child: ChildProcess
  const start = async () => {
    child = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
      stdio: 'ignore',
    })
    await Promise.race([
      sleep(300),
      once(child, 'error').then(([error]) => {
        throw new Error('redis-server not found: install the package', { cause: error })
      }),
    ])
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A fault that ends when the promise of `run` resolves. */
export interface ChaosFault {
  name: string
  /** Whether responses are late or connections are lost. */
  server?: 'hung' | 'killed'
  run(chaos: ChaosMarket, holdMilliseconds: number): Promise<void>
}

export const databaseFaults: ChaosFault[] = [
  {
    name: 'database: fast restart',
    async run({ database }) {
      await database.stop('fast')
      await database.start()
    },
  },
  {
    name: 'database: immediate restart',
    async run({ database }) {
      await database.stop('immediate')
      await database.start()
    },
  },
  {
    name: 'database: kill -9',
    async run({ database }) {
      await database.kill()
      await database.start()
    },
  },
  {
    name: 'database: black hole',
    async run({ database }, hold) {
      database.proxy.hole()
      await sleep(hold)
      database.proxy.pass()
    },
  },
  {
    name: 'database: hung sessions',
    async run({ database }, hold) {
      database.freeze('sessions')
      await sleep(hold)
      database.thaw()
    },
  },
  {
    name: 'database: hung completely',
    async run({ database }, hold) {
      database.freeze('all')
      await sleep(hold)
      database.thaw()
    },
  },
]

export const otherFaults: ChaosFault[] = [
  {
    name: 'disk: full for the database',
    async run({ database }, hold) {
      // Limit the file size: writes then fail as on a full disk, without root.
      limitFiles(database.processes(), '0')
      await sleep(hold)
      limitFiles(database.processes(), 'unlimited')
      // PostgreSQL shuts down if it cannot write its WAL, possibly after a delay.
      await database.start()
    },
  },
  {
    name: 'node: restart',
    run: ({ market }) => market.node.restart(),
  },
  {
    name: 'node: kill -9',
    run: ({ market }) => market.node.restart('SIGKILL'),
  },
  {
    name: 'node: hung',
    async run({ market }, hold) {
      market.node.signal('SIGSTOP')
      await sleep(hold)
      market.node.signal('SIGCONT')
    },
  },
  {
    name: 'node: black hole',
    async run({ nodeProxy }, hold) {
      nodeProxy.hole()
      await sleep(hold)
      nodeProxy.pass()
    },
  },
  {
    name: 'redis: kill -9',
    async run({ redis }, hold) {
      await redis.kill()
      await sleep(hold)
      await redis.start()
    },
  },
  {
    name: 'redis: hung',
    async run({ redis }, hold) {
      redis.signal('SIGSTOP')
      await sleep(hold)
      redis.signal('SIGCONT')
    },
  },
  {
    name: 'clock: eight days ahead on one server',
    async run({ turnClock }, hold) {
      turnClock('+8d')
      await sleep(hold)
      turnClock('+0')
    },
  },
  {
    name: 'clock: an hour behind on one server',
    async run({ turnClock }, hold) {
      turnClock('-1h')
      await sleep(hold)
      turnClock('+0')
    },
  },
  {
    name: 'server: hung, both in turn',
    server: 'hung',
    async run({ servers }, hold) {
      for (const { process } of servers) {
        process.child.kill('SIGSTOP')
        await sleep(hold)
        process.child.kill('SIGCONT')
        await sleep(1000)
      }
    },
  },
  {
    name: 'server: kill -9, both in turn',
    server: 'killed',
    async run({ servers, restart }) {
      for (const [n, { process }] of servers.entries()) {
        await process.kill('SIGKILL')
        await restart(n)
      }
    },
  },
]

function limitFiles(pids: readonly number[], bytes: string): void {
  for (const pid of pids) {
    const process = `/proc/${pid}`
    const owner = statSync(process, { throwIfNoEntry: false })
    if (!owner) continue
    try {
      // Run as the owner of the process. Without CAP_SYS_RESOURCE even root cannot change another user's limits.
      const { uid, gid } = owner
      execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`], { stdio: 'pipe', uid, gid })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new Error('prlimit not found: install the package util-linux', { cause: error })
      // The process may have ended.
      if (existsSync(process)) throw error
    }
  }
}
