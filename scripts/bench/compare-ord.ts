import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, homedir, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { decodeCoin } from '@ordbook/bitcoin/sat-ropes/codec.ts'
import { Ropes } from '@ordbook/bitcoin/sat-ropes/ropes.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { readCommand } from '../command.ts'
import { FIRST, startFullChain } from './full-chain.ts'
import { cpuSecondsOf, endedSecondsOf, peakMegabytesOf, postmasterOf } from './processes.ts'

readCommand('usage: npm run bench -- ord', {})

/**
 * `npm run bench -- ord`: indexes the same full blocks with `ord index update` and with a follower, alternately, with and without sat
 * numbers. ord also indexes addresses. ORD is the path of the binary. Prints time, CPU time, resident memory and disk after each number of
 * blocks of BENCH_BLOCKS, without the start, and the bytes of a sat range. The chain is made once and kept in the cache directory.
 */
const SIZES = (process.env.BENCH_BLOCKS ?? '120,360,1000').split(',').map(Number)
const PER_BLOCK = Number(process.env.BENCH_TRANSACTIONS ?? 2000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const LOOK_MILLISECONDS = 20
const ord =
  process.env.ORD ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ordbook/ord/bin/ord')
if (!existsSync(ord))
  throw new Error(`${ord} does not exist. Set ORD, or run npm run test:suite -- ord once.`)

interface Took {
  seconds: number
  cpuSeconds: number
  databaseSeconds: number
  /** Peak since the start of the full blocks. */
  megabytes: number
  diskMegabytes: number
  /** Stored bytes of a sat range; null without sat numbers. */
  rangeBytes: number | null
}

const directory = mkdtempSync(join(tmpdir(), 'ordbook-beside-ord-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
const bitcoind = await startFullChain({ blocks: SIZES.at(-1)!, perBlock: PER_BLOCK })

/** Indexes all blocks below `end` with ord, into a new folder. */
async function indexByOrd(end: number, sats: boolean): Promise<Took> {
  const folder = mkdtempSync(join(directory, 'ord-'))
  const flags = [
    '--regtest',
    ...(sats ? ['--index-sats'] : []),
    '--index-addresses',
    `--height-limit=${end}`,
    `--data-dir=${folder}`,
    `--bitcoin-rpc-url=${new URL(bitcoind.url).host}`,
    '--bitcoin-rpc-username=test',
    '--bitcoin-rpc-password=test',
  ]
  const began = performance.now()
  const reaped = endedSecondsOf(process.pid)
  const child = spawn(ord, [...flags, 'index', 'update'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  let output = ''
  child.stderr!.on('data', (text) => (output += text))
  let megabytes = 0
  while (child.exitCode === null && child.signalCode === null) {
    megabytes = Math.max(megabytes, peakOf(child))
    await sleep(LOOK_MILLISECONDS)
  }
  await ended
  const [seconds, cpuSeconds] = [(performance.now() - began) / 1000, endedSecondsOf(process.pid) - reaped]
  if (child.exitCode !== 0) throw new Error(`ord exited with code ${child.exitCode}: ${output.slice(-2000)}`)
  const info = await promisify(execFile)(ord, [...flags, 'index', 'info'])
  const { blocks_indexed: blocks } = JSON.parse(info.stdout) as { blocks_indexed: number }
  if (blocks !== end) throw new Error(`ord has indexed ${blocks} of ${end} blocks`)
  const diskMegabytes = statSync(join(folder, 'regtest/index.redb')).size / 1e6
  rmSync(folder, { recursive: true })
  return { seconds, cpuSeconds, databaseSeconds: 0, megabytes, diskMegabytes, rangeBytes: null }
}

/** Runs ord once per size, and subtracts a run to the last block before the full ones. */
async function byOrd(sats: boolean): Promise<Took[]> {
  const start = await indexByOrd(FIRST, sats)
  const results: Took[] = []
  for (const size of SIZES) {
    const took = await indexByOrd(FIRST + size, sats)
    results.push({
      ...took,
      seconds: took.seconds - start.seconds,
      cpuSeconds: took.cpuSeconds - start.cpuSeconds,
    })
  }
  return results
}

/**
 * Runs a follower once, and notes what it took when it reaches each size. It commits about ten full blocks at a time, the first together
 * with empty ones, so that the time is scaled from the blocks between two commits.
 */
async function byServer(round: number, sats: boolean): Promise<Took[]> {
  const name = `beside_${round}_${sats ? 'sats' : 'plain'}`
  const admin = connect(postgres.superuserUrl, { max: 1 })
  await admin.unsafe(`create database ${name} owner ordbook`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  const sql = connect(url.href, { max: 1 })
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../server/app/src/main.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: url.href,
      BITCOIN_RPC_URL: bitcoind.url,
      DATA_DIR: join(directory, 'server'),
      ROLES: 'follower',
      SAT_INDEX: sats ? 'on' : 'off',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = once(child, 'exit')
  const results: Took[] = []
  const postmaster = postmasterOf(postgres.directory)
  const now = () => [performance.now() / 1000, cpuSecondsOf(child.pid!), cpuSecondsOf(postmaster)] as const
  let began: { height: number; at: ReturnType<typeof now> } | null = null
  let megabytes = 0
  while (results.length < SIZES.length) {
    if (child.exitCode !== null) throw new Error(`the server exited with code ${child.exitCode}`)
    const [row] = await sql<{ height: number | null }[]>`select max(height) as height from blocks`.catch(
      () => [],
    )
    const height = row?.height ?? -1
    if (began) megabytes = Math.max(megabytes, peakOf(child))
    else if (height >= FIRST - 1) {
      began = { height, at: now() }
      peakOf(child)
    }
    const size = SIZES[results.length]!
    if (began && height > began.height && height >= FIRST - 1 + size) {
      const scale = size / (height - began.height)
      const [seconds, cpuSeconds, databaseSeconds] = now().map((value, i) => (value - began!.at[i]!) * scale)
      results.push({
        seconds: seconds!,
        cpuSeconds: cpuSeconds!,
        databaseSeconds: databaseSeconds!,
        megabytes,
        ...(await sizesOf(sql, sats)),
      })
    }
    await sleep(LOOK_MILLISECONDS)
  }
  child.kill('SIGKILL')
  await ended
  await sql.end()
  await admin.unsafe(`drop database ${name} with (force)`)
  await admin.end()
  return results
}

/** Returns the sizes of all tables and of the tables of sats by range, with indexes. */
async function sizesOf(sql: Sql, sats: boolean): Promise<Pick<Took, 'diskMegabytes' | 'rangeBytes'>> {
  const [row] = await sql<{ all: number; ofSats: number }[]>`
    select sum(pg_total_relation_size(oid))::bigint as all,
      (sum(pg_total_relation_size(oid)) filter (where relname in ('sat_coins', 'sat_chunks')))::bigint as of_sats
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`
  const ropes = new Ropes()
  let ranges = 0
  if (sats)
    for (const { body } of await sql<{ body: Uint8Array }[]>`select body from sat_coins`) {
      ropes.reset()
      const root = decodeCoin(ropes, body)
      ranges += ropes.count[root]!
    }
  return { diskMegabytes: row!.all / 1e6, rangeBytes: sats ? row!.ofSats / ranges : null }
}

/** Returns the peak memory of a process since the last call, in MB; 0 if it has exited. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return peakMegabytesOf(pid!)
  } catch {
    return 0
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

function print(sats: boolean, rounds: { ord: Took[]; ordbook: Took[] }[]): void {
  console.log(`\nsats ${sats ? 'numbered' : 'not numbered'}, load ${loadavg()[0]!.toFixed(1)}\n`)
  console.log(
    '| Blocks | | s | its CPU, s | CPU of PostgreSQL, s | resident, MB | disk, MB | bytes a range | time of ord | CPU of ord |',
  )
  console.log('| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const [n, size] of SIZES.entries()) {
    const of = (name: 'ord' | 'ordbook', field: keyof Took) =>
      median(rounds.map((round) => round[name][n]![field] ?? 0))
    for (const name of ['ord', 'ordbook'] as const) {
      const isOrd = name === 'ord'
      const cells = [
        of(name, 'seconds').toFixed(1),
        of(name, 'cpuSeconds').toFixed(1),
        isOrd ? '' : of(name, 'databaseSeconds').toFixed(1),
        of(name, 'megabytes').toFixed(0),
        of(name, 'diskMegabytes').toFixed(1),
        isOrd || !sats ? '' : of(name, 'rangeBytes').toFixed(1),
        isOrd ? '' : (of(name, 'seconds') / of('ord', 'seconds')).toFixed(2),
        isOrd
          ? ''
          : ((of(name, 'cpuSeconds') + of(name, 'databaseSeconds')) / of('ord', 'cpuSeconds')).toFixed(2),
      ]
      console.log(`| ${size} | ${name} | ${cells.join(' | ')} |`)
    }
  }
}

try {
  console.log(
    `${cpus().length} cores, blocks of ${PER_BLOCK} transactions, medians of ${ROUNDS}, without the start`,
  )
  for (const sats of [false, true]) {
    const rounds: Parameters<typeof print>[1] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ ord: await byOrd(sats), ordbook: await byServer(round, sats) })
    print(sats, rounds)
  }
} finally {
  await bitcoind.stop()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
