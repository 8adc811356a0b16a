import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { type Bomb, bombs, ordinary } from '../../e2e/indexer/support/hostile.ts'
import { HostileChain } from '../../e2e/indexer/support/hostile-chain.ts'
import { startNode } from '../../e2e/support/node.ts'
import { readCommand } from '../command.ts'

readCommand('usage: npm run bench -- hostile', {})

/**
 * `npm run bench -- hostile`: compares the time that the follower needs for hostile blocks and for ordinary blocks of the same size, on a
 * real bitcoind. Also measures the latency of API requests during that time, and the server's memory. BENCH_ONLY filters by name.
 */
const RATE_MILLISECONDS = 10
const MAX_ORDINARY = 2000
const only = process.env.BENCH_ONLY ?? ''
const MAX_MILLISECONDS = Number(process.env.BENCH_LONGEST ?? 120_000)

const sleep = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))
const quantile = (values: readonly number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

/** Sends a request every ten milliseconds, without waiting for responses. Returns the latencies in milliseconds. */
async function loadWhile(url: string, work: () => Promise<void>): Promise<number[]> {
  const latencies: number[] = []
  const pending: Promise<void>[] = []
  const sendRequest = async () => {
    const began = performance.now()
    await fetch(url).then(
      (answer) => answer.arrayBuffer(),
      () => {},
    )
    latencies.push(performance.now() - began)
  }
  const timer = setInterval(() => pending.push(sendRequest()), RATE_MILLISECONDS)
  await work()
  clearInterval(timer)
  await Promise.all(pending)
  return latencies
}

/** Returns the peak memory of a process since the last call, in MB. */
function peakOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return Math.round(Number(kilobytes) / 1000)
}

const directory = mkdtempSync(join(tmpdir(), 'ordbook-hostile-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
const databaseUrl = postgres.url
const bitcoind = await startNode('bitcoind')
const port = await freePort()
const sql = connect(databaseUrl, { max: 1 })
await bitcoind.regtest.mine(103)
const server = spawn(process.execPath, [join(import.meta.dirname, '../../server/app/src/main.ts')], {
  env: {
    ...process.env,
    DATABASE_URL: databaseUrl,
    BITCOIN_RPC_URL: bitcoind.url,
    DATA_DIR: join(directory, 'server'),
    PORT: String(port),
    ROLES: 'api,follower',
    RATE_LIMITS: 'off',
    SAT_INDEX: 'on',
    POLL_MILLISECONDS: '20',
    LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
})
const url = `http://127.0.0.1:${port}/r/blockheight`

async function reach(height: number): Promise<boolean> {
  for (const until = performance.now() + MAX_MILLISECONDS; performance.now() < until; await sleep(5)) {
    const rows = await sql<{ height: number }[]>`select max(height) as height from blocks`.catch(() => [])
    if ((rows[0]?.height ?? -1) >= height) return true
  }
  return false
}
const measure = async () => {
  const [row] = await sql<{ bytes: number; inscriptions: number }[]>`
    select pg_database_size(current_database()) as bytes, (select count(*) from inscriptions) as inscriptions`
  return row!
}

try {
  while (!(await fetch(url).catch(() => null))?.ok) await sleep(100)
  const chain = new HostileChain(bitcoind.regtest)
  const chosen = bombs.filter((bomb) => bomb.name.includes(only))
  const plain = chosen.map((bomb) => ordinary(bomb, MAX_ORDINARY))
  await chain.fund([...chosen, ...plain])
  await reach(await bitcoind.regtest.call<number>('getblockcount'))
  peakOf(server)

  const run = async (bomb: Bomb) => {
    const before = await measure()
    let seconds = null as number | null
    let blockBytes = 0
    const latencies = await loadWhile(url, async () => {
      const sizes = await chain.mine(bomb)
      blockBytes = sizes.reduce((sum, size) => sum + size, 0)
      const began = performance.now()
      const height = await bitcoind.regtest.call<number>('getblockcount')
      if (await reach(height)) seconds = (performance.now() - began) / 1000
    })
    const after = await measure()
    return {
      seconds,
      blockBytes,
      took: latencies,
      inscriptions: after.inscriptions - before.inscriptions,
      bytes: after.bytes - before.bytes,
      megabytes: peakOf(server),
    }
  }

  const quiet = await loadWhile(url, async () => void (await sleep(10_000)))
  console.log(
    `${cpus().length} cores; quiet: p50 ${quantile(quiet, 0.5).toFixed(1)} ms, p99 ${quantile(quiet, 0.99).toFixed(1)} ms\n`,
  )
  console.log(
    '| block | kB | inscriptions | s | ordinary, s | p99, ms | longest, ms | database, kB | memory, MB |',
  )
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  const all: number[] = []
  for (const [n, bomb] of chosen.entries()) {
    const usual = await run(plain[n]!)
    const hostile = await run(bomb)
    all.push(...hostile.took)
    console.log(
      `| ${[
        bomb.name,
        Math.round(hostile.blockBytes / 1000),
        hostile.inscriptions,
        hostile.seconds?.toFixed(2) ?? `never (${MAX_MILLISECONDS / 1000} s)`,
        usual.seconds?.toFixed(2) ?? 'never',
        quantile(hostile.took, 0.99).toFixed(1),
        Math.max(...hostile.took).toFixed(0),
        Math.round(hostile.bytes / 1000),
        hostile.megabytes,
      ].join(' | ')} |`,
    )
    if (hostile.seconds === null) break
  }
  console.log(
    `\nunder load: p50 ${quantile(all, 0.5).toFixed(1)} ms, p99 ${quantile(all, 0.99).toFixed(1)} ms`,
  )
} finally {
  server.kill('SIGKILL')
  await sql.end()
  await bitcoind.stop()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
