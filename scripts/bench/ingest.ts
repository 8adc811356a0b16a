import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@ordbook/app/server.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { blockWithHexes } from '@ordbook/indexer/node/core-answers.ts'
import { startNode } from '../../e2e/support/node.ts'
import { readCommand } from '../command.ts'
import { fillChain } from './full-chain.ts'

readCommand('usage: npm run bench -- ingest', {})

/**
 * `npm run bench -- ingest`: measures the follower's speed on a real bitcoind, with blocks of 2,000 transactions, a tenth of which create
 * or move an inscription. Each round fetches, parses and indexes the same blocks, with and without sat numbers. Prints the medians. Then
 * reads 10,000 blocks and prints the memory used.
 */
const BLOCKS = Number(process.env.BENCH_BLOCKS ?? 24)
const PER_BLOCK = Number(process.env.BENCH_TRANSACTIONS ?? 2000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const LONG = Number(process.env.BENCH_LONG ?? 10_000)

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
const directory = mkdtempSync(join(tmpdir(), 'ordbook-ingest-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
const bitcoind = await startNode('bitcoind')

async function freshDatabase(): Promise<string> {
  const name = `ingest_${randomBytes(6).toString('hex')}`
  const admin = connect(postgres.superuserUrl, { max: 1 })
  await admin.unsafe(`create database ${name} owner ordbook`)
  await admin.end()
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.href
}

/** Reads blocks with several pending requests, like the follower. */
async function each<T>(hashes: string[], read: (hash: string) => Promise<T>): Promise<void> {
  const pending: Promise<T>[] = []
  for (const hash of hashes) {
    pending.push(read(hash))
    if (pending.length >= 8) await pending.shift()
  }
  await Promise.all(pending)
}

/** Indexes the whole chain into a new database with a follower-only server. Reports when it reaches each height. */
async function index(satIndex: 'on' | 'off', onHeight: (height: number) => void): Promise<void> {
  const databaseUrl = await freshDatabase()
  const config = readConfig({
    DATA_DIR: join(directory, 'server'),
    ROLES: 'follower',
    SAT_INDEX: satIndex,
    LOG_LEVEL: 'error',
  })
  const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: bitcoind.url }, onHeight)
  await server.sync()
  await server.close()
}

async function ingest(satIndex: 'on' | 'off', heights: readonly number[]): Promise<number> {
  let [began, ended] = [0, 0]
  await index(satIndex, (height) => {
    if (height < heights[0]!) began = performance.now()
    if (height === heights.at(-1)) ended = performance.now()
  })
  return (ended - began) / 1000
}

try {
  const heights = await fillChain(bitcoind, { blocks: BLOCKS, perBlock: PER_BLOCK })
  const node = new CoreSource(bitcoind.url)
  const hashes = await node.blockHashes(heights[0]!, heights.at(-1)!)
  const first = await node.block(hashes[0]!)
  if (!node.byRest) throw new Error('This bitcoind does not serve blocks by REST. Start it with rest=1.')
  let bytes = 0
  for (const hash of hashes) {
    const [byRest, byRpc] = [await node.block(hash), await node.blockByRpc(hash)]
    if (!Buffer.from(byRest.bytes).equals(byRpc.bytes) || !Buffer.from(byRest.spent).equals(byRpc.spent))
      throw new Error(`Block ${hash} differs between REST and RPC.`)
    bytes += byRest.bytes.length
  }
  const count = first.transactions.length * hashes.length
  const timings: Record<string, number[]> = {}
  const time = async (name: string, work: () => Promise<unknown>) => {
    const began = performance.now()
    const measured = await work()
    const seconds = typeof measured === 'number' ? measured : (performance.now() - began) / 1000
    timings[name] = [...(timings[name] ?? []), seconds]
  }
  const bare = (path: string) =>
    fetch(new URL(path, bitcoind.url.replace('test:test@', ''))).then((answer) => answer.arrayBuffer())
  for (let round = 0; round < ROUNDS; round++) {
    await time('fetched', () =>
      each(hashes, (hash) =>
        Promise.all([bare(`/rest/block/${hash}.bin`), bare(`/rest/spenttxouts/${hash}.bin`)]),
      ),
    )
    await time('fetched and read', () => each(hashes, (hash) => node.block(hash)))
    await time('by verbosity 3', () =>
      each(hashes, async (hash) => {
        const { tx } = await node.call(blockWithHexes, 'getblock', hash, 3)
        return tx.map((one) => decodeTransaction(one.hex))
      }),
    )
    await time('index', () => ingest('off', heights))
    await time('index with sats', () => ingest('on', heights))
  }
  console.log(
    `${cpus().length} cores, ${hashes.length} blocks of ${PER_BLOCK} transactions and ${(bytes / hashes.length / 1e6).toFixed(2)} MB, medians of ${ROUNDS}\n`,
  )
  console.log(
    '| | transactions/s | MB/s | of fetched | of fetched and read |\n| --- | ---: | ---: | ---: | ---: |',
  )
  const of = (name: string) => median(timings[name]!)
  for (const name of Object.keys(timings))
    console.log(
      `| ${name} | ${Math.round(count / of(name))} | ${(bytes / 1e6 / of(name)).toFixed(1)} | ` +
        `${(of('fetched') / of(name)).toFixed(2)} | ${(of('fetched and read') / of(name)).toFixed(2)} |`,
    )
  console.log(
    `\nfetched and read: ${(of('by verbosity 3') / of('fetched and read')).toFixed(1)} times verbosity 3`,
  )

  if (LONG > 0) {
    for (let left = LONG; left > 0; left -= 500) await bitcoind.regtest.mine(Math.min(500, left))
    console.log(`\n| blocks of ${LONG} | heap, MB | resident, MB |\n| --- | ---: | ---: |`)
    let next = heights.at(-1)!
    await index('on', (height) => {
      if (height < next) return
      next += LONG / 10
      globalThis.gc?.()
      const { heapUsed, rss } = process.memoryUsage()
      console.log(
        `| ${height - heights.at(-1)!} | ${(heapUsed / 1e6).toFixed(0)} | ${(rss / 1e6).toFixed(0)} |`,
      )
    })
  }
} finally {
  await bitcoind.stop()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
