import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, homedir, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { startNode } from '../../e2e/support/node.ts'
import { readCommand } from '../command.ts'
import { fillChain } from './full-chain.ts'
import { cpuSecondsOf, endedSecondsOf, peakMegabytesOf, postmasterOf } from './processes.ts'

readCommand('usage: npm run bench -- ord', {})

/**
 * `npm run bench -- ord`: indexes the same full blocks with `ord index update` and with a follower, alternately. Both index inscriptions
 * and sat numbers (BENCH_SATS=off: without); ord also indexes addresses. ORD is the path of the binary. Prints time, CPU time and resident
 * memory, with PostgreSQL's CPU time separately.
 */
const BLOCKS = Number(process.env.BENCH_BLOCKS ?? 24)
const PER_BLOCK = Number(process.env.BENCH_TRANSACTIONS ?? 2000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const SATS = process.env.BENCH_SATS !== 'off'
const LOOK_MILLISECONDS = 20
const ord =
  process.env.ORD ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ordbook/ord/bin/ord')
if (!existsSync(ord))
  throw new Error(`${ord} does not exist. Set ORD, or run npm run test:suite -- ord once.`)

interface Took {
  seconds: number
  cpuSeconds: number
  databaseSeconds: number
  megabytes: number
}

const directory = mkdtempSync(join(tmpdir(), 'ordbook-beside-ord-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
const bitcoind = await startNode('bitcoind')

async function measure(child: ChildProcess, isDone: () => Promise<boolean>): Promise<Took> {
  const began = performance.now()
  const postmaster = postmasterOf(postgres.directory)
  const database = cpuSecondsOf(postmaster)
  const ended = once(child, 'exit')
  const reaped = endedSecondsOf(process.pid)
  const usage: Took = { seconds: 0, cpuSeconds: 0, databaseSeconds: 0, megabytes: 0 }
  while (child.exitCode === null && child.signalCode === null) {
    try {
      usage.megabytes = Math.max(usage.megabytes, peakMegabytesOf(child.pid!))
    } catch {
      // The process has exited.
    }
    if (await isDone()) break
    await new Promise((done) => setTimeout(done, LOOK_MILLISECONDS))
  }
  usage.seconds = (performance.now() - began) / 1000
  usage.databaseSeconds = cpuSecondsOf(postmaster) - database
  child.kill('SIGKILL')
  await ended
  usage.cpuSeconds = endedSecondsOf(process.pid) - reaped
  return usage
}

async function byOrd(height: number): Promise<Took> {
  const folder = mkdtempSync(join(directory, 'ord-'))
  const flags = [
    '--regtest',
    ...(SATS ? ['--index-sats'] : []),
    '--index-addresses',
    `--data-dir=${folder}`,
    `--bitcoin-rpc-url=${new URL(bitcoind.url).host}`,
    '--bitcoin-rpc-username=test',
    '--bitcoin-rpc-password=test',
  ]
  const child = spawn(ord, [...flags, 'index', 'update'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr!.on('data', (text) => (output += text))
  const usage = await measure(child, async () => false)
  if (child.exitCode !== 0) throw new Error(`ord exited with code ${child.exitCode}: ${output.slice(-2000)}`)
  const info = await promisify(execFile)(ord, [...flags, 'index', 'info'])
  const { blocks_indexed: blocks } = JSON.parse(info.stdout) as { blocks_indexed: number }
  if (blocks !== height + 1) throw new Error(`ord has indexed ${blocks} of ${height + 1} blocks`)
  rmSync(folder, { recursive: true })
  return usage
}

async function byServer(round: number, height: number): Promise<Took> {
  const admin = connect(postgres.superuserUrl, { max: 1 })
  await admin.unsafe(`create database beside_${round} owner ordbook`)
  await admin.end()
  const url = new URL(postgres.url)
  url.pathname = `/beside_${round}`
  const sql = connect(url.href, { max: 1 })
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../server/app/src/main.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: url.href,
      BITCOIN_RPC_URL: bitcoind.url,
      DATA_DIR: join(directory, 'server'),
      ROLES: 'follower',
      SAT_INDEX: SATS ? 'on' : 'off',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const usage = await measure(child, async () => {
    const rows = await sql<{ height: number }[]>`select max(height) as height from blocks`.catch(() => [])
    return (rows[0]?.height ?? -1) >= height
  })
  await sql.end()
  return usage
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

try {
  await fillChain(bitcoind, { blocks: BLOCKS, perBlock: PER_BLOCK })
  const height = await bitcoind.regtest.call<number>('getblockcount')
  const results = { ord: [] as Took[], ordbook: [] as Took[] }
  for (let round = 0; round < ROUNDS; round++) {
    results.ord.push(await byOrd(height))
    results.ordbook.push(await byServer(round, height))
  }
  const of = (name: keyof typeof results, field: keyof Took) =>
    median(results[name].map((each) => each[field]))
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, ${BLOCKS} blocks of ${PER_BLOCK} transactions, sats ${SATS ? 'numbered' : 'not numbered'}, medians of ${ROUNDS}\n`,
  )
  console.log(
    '| | s | its CPU, s | CPU of PostgreSQL, s | resident, MB |\n| --- | ---: | ---: | ---: | ---: |',
  )
  for (const name of ['ord', 'ordbook'] as const)
    console.log(
      `| ${name} | ${of(name, 'seconds').toFixed(1)} | ${of(name, 'cpuSeconds').toFixed(1)} | ` +
        `${name === 'ord' ? '' : of(name, 'databaseSeconds').toFixed(1)} | ${of(name, 'megabytes')} |`,
    )
  const ordbookCpuSeconds = of('ordbook', 'cpuSeconds') + of('ordbook', 'databaseSeconds')
  console.log(
    `\n${(of('ordbook', 'seconds') / of('ord', 'seconds')).toFixed(2)} times the time of ord, ` +
      `${(ordbookCpuSeconds / of('ord', 'cpuSeconds')).toFixed(2)} times its CPU, its start included in each`,
  )
} finally {
  await bitcoind.stop()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
