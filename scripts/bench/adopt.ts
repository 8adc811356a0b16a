import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { beginAtOrd } from '@ordbook/indexer/adoption/begin.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { startNode } from '../../e2e/support/node.ts'
import { readCommand } from '../command.ts'
import { cpuSecondsOf, peakMegabytesOf, postmasterOf } from './processes.ts'

readCommand('usage: npm run bench -- adopt', {})

/**
 * `npm run bench -- adopt`: measures how fast a follower adopts imported inscriptions from a stand-in of `ord`
 * (e2e/support/ord/ord-stand-in.ts). Prints inscriptions per second, and CPU time and memory per process. BENCH_UNKNOWN is the percentage
 * of inscriptions unknown to the server. With BENCH_TXINDEX=off, the node has no transaction index, and `ord` serves each reveal.
 */
const INSCRIPTIONS = Number(process.env.BENCH_INSCRIPTIONS ?? 50_000)
const UNKNOWN_PERCENT = Number(process.env.BENCH_UNKNOWN ?? 0)
const COLLECTION = 5000

const directory = mkdtempSync(join(tmpdir(), 'ordbook-adopt-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
const sql = connect(postgres.url, { max: 1 })
const node = await startNode('devnet')
const started: ChildProcess[] = []

function writeCollections(folder: string): void {
  const idOf = (n: number) => {
    const isUnknown = n % 100 < UNKNOWN_PERCENT
    return `${createHash('sha256')
      .update(`${isUnknown ? 'unknown' : 'inscription'} ${n}`)
      .digest('hex')}i0`
  }
  for (let from = 0; from < INSCRIPTIONS; from += COLLECTION) {
    const slug = `bench-${from}`
    const count = Math.min(COLLECTION, INSCRIPTIONS - from)
    const items = Array.from({ length: count }, (_, i) => ({
      id: idOf(from + i),
      meta: { name: `Piece #${from + i}`, attributes: [] },
    }))
    mkdirSync(join(folder, slug), { recursive: true })
    writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: slug, slug }))
    writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(items))
  }
}

async function startOrd(): Promise<{ url: string; child: ChildProcess }> {
  const height = await node.regtest.call<number>('getblockcount')
  const hash = await node.regtest.call<string>('getblockhash', height)
  const path = join(import.meta.dirname, '../../e2e/support/ord/ord-stand-in.ts')
  const child = spawn(process.execPath, [path, String(INSCRIPTIONS), String(height), hash, node.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(child)
  const [line] = await once(child.stdout!, 'data')
  return { url: String(line).trim(), child }
}

const countOf = async () => {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from inscription_rows where adopted_height is not null`
  return row!.count
}

try {
  await node.regtest.mine(110)
  await migrate(sql)
  const ord = await startOrd()
  await beginAtOrd(sql, new CoreSource(node.url), new Ord(ord.url))
  const folder = join(directory, 'collections')
  writeCollections(folder)
  const { items } = await loadCollections(sql, folder, { now: new Date() })
  const knownCount = INSCRIPTIONS - Math.floor(INSCRIPTIONS / 100) * UNKNOWN_PERCENT
  const server = spawn(process.execPath, [join(import.meta.dirname, '../../server/app/src/main.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: postgres.url,
      BITCOIN_RPC_URL: process.env.BENCH_TXINDEX === 'off' ? node.url : `${ord.url}/node`,
      ORD_URL: ord.url,
      DATA_DIR: join(directory, 'server'),
      ROLES: 'follower',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  started.push(server)
  while ((await countOf()) === 0) await new Promise((done) => setTimeout(done, 20))
  const processes = {
    follower: server.pid!,
    PostgreSQL: postmasterOf(postgres.directory),
    ord: ord.child.pid!,
  }
  const before = Object.values(processes).map(cpuSecondsOf)
  const [first, began] = [await countOf(), performance.now()]
  let count = first
  while (count < knownCount) {
    await new Promise((done) => setTimeout(done, 100))
    count = await countOf()
  }
  const seconds = (performance.now() - began) / 1000
  const cpuTimes = Object.entries(processes).map(
    ([name, pid], n) =>
      `${name} ${(((cpuSecondsOf(pid) - before[n]!) / (count - first)) * 1e6).toFixed(0)} µs`,
  )
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}; ${items} members, ${items - knownCount} of them unknown: ` +
      `${Math.round((count - first) / seconds)} inscriptions per second; CPU per inscription: ${cpuTimes.join(', ')}; ` +
      `follower at most ${peakMegabytesOf(server.pid!)} MB`,
  )
} finally {
  for (const child of started) child.kill('SIGKILL')
  await sql.end()
  await node.stop()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
