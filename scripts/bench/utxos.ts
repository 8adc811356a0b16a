import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { RawBlock } from '@ordbook/bitcoin/raw-block.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { openLog } from '@ordbook/db/process/log.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import type { BlockReader } from '@ordbook/indexer/blocks/block-reader.ts'
import { ownIndex } from '@ordbook/indexer/coins/own-index.ts'
import type { CoreSource } from '@ordbook/indexer/node/core.ts'
import { UtxoFollower } from '@ordbook/indexer/utxos/utxo-follower.ts'
import { integerIn, readCommand } from '../command.ts'
import { BASE, MadeChain, PER_BLOCK } from './made-coins.ts'

const USAGE = `usage: npm run bench -- utxos [--coins N] [--blocks N]

Measure the table of UTXOs with --coins coins (default 25,000,000) of a made dump: its load, and --blocks blocks (default 400) of
${PER_BLOCK.made} new and ${PER_BLOCK.spent} spent coins, while another thread looks up the coins of wallets.`

const MOST = 1000
const LOOK_UP_EVERY_MS = 2
const UNDISTURBED_MS = 5000

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1)

/** Looks up coins until it gets a message, and returns the times in milliseconds. */
async function lookUp({ url, coins }: { url: string; coins: number }): Promise<void> {
  const sql = connect(url, { max: 1 })
  const chain = new MadeChain(coins, 0)
  const find = ownIndex(sql, MOST)
  const { signal } = new AbortController()
  const times: number[] = []
  let isOver = false
  parentPort!.once('message', () => (isOver = true))
  await find(chain.walletScript(0), signal)
  parentPort!.postMessage('ready')
  for (let n = 1; !isOver; n++) {
    const began = performance.now()
    await find(chain.walletScript(n), signal)
    times.push(performance.now() - began)
    await sleep(LOOK_UP_EVERY_MS)
  }
  await sql.end()
  parentPort!.postMessage(times)
}

/** Measures lookups while `work` runs. */
async function duringLookUps(
  lookUps: { url: string; coins: number },
  work: () => Promise<unknown>,
): Promise<number[]> {
  const worker = new Worker(import.meta.filename, { workerData: lookUps })
  await once(worker, 'message')
  await work()
  worker.postMessage('end')
  const [times] = (await once(worker, 'message')) as [number[]]
  return times.toSorted((a, b) => a - b)
}

/** A node that has the dump, and makes blocks up to `made.tip`. `made.milliseconds` is the time spent on that. */
function standIn(chain: MadeChain, dump: string, setHash: string) {
  const made = { tip: BASE.height, milliseconds: 0 }
  const hashOf = (height: number) => (height === BASE.height ? BASE.hash : String(height).padStart(64, '0'))
  const node = {
    within: () => node,
    async dumpUtxos(path: string) {
      await promisify(execFile)('sh', ['-c', 'cat "$0" >"$1"', dump, path])
      return {
        coins_written: chain.count,
        base_hash: BASE.hash,
        base_height: BASE.height,
        path,
        txoutset_hash: setHash,
      }
    },
    blockchainInfo: async () => ({ bestblockhash: hashOf(made.tip) }),
    blockHash: async (height: number) => hashOf(height),
    blockHashes: async (from: number, to: number) =>
      Array.from({ length: Math.max(0, Math.min(to, made.tip) - from + 1) }, (_, n) => hashOf(from + n)),
  } as unknown as CoreSource
  const reader = {
    async read(hash: string) {
      const began = performance.now()
      const transactions = chain.block()
      made.milliseconds += performance.now() - began
      return { hash, previousHash: hashOf(Number(hash) - 1), transactions } as unknown as RawBlock
    },
  } as BlockReader
  return { node, reader, made }
}

async function measure(): Promise<void> {
  const { values } = readCommand(USAGE, {
    options: {
      coins: { type: 'string', default: '25000000' },
      blocks: { type: 'string', default: '400' },
    },
  })
  // Two coins share a transaction.
  const coins = 2 * Math.floor(integerIn(values.coins, '--coins', 2, 500_000_000) / 2)
  const blocks = integerIn(values.blocks, '--blocks', 1, 10_000)
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-utxos-'))
  chmodSync(directory, 0o755)
  const postgres = await startEmbedded(directory)
  const sql = connect(postgres.url, { max: 2, as: 'follower' })
  try {
    await migrate(sql)
    const chain = new MadeChain(coins, blocks)
    const dump = join(directory, 'made.dump')
    const setHash = chain.writeDump(dump)
    const { node, reader, made } = standIn(chain, dump, setHash)
    const config = readConfig({ LOG_LEVEL: 'error' })
    const follower = new UtxoFollower({
      sql,
      databaseUrl: postgres.url,
      node,
      reader,
      folder: join(directory, 'utxos'),
      log: openLog(config),
      undoBlocks: config.undoBlocks,
      loadPauseMilliseconds: 0,
    })
    const sync = () => follower.sync(new AbortController().signal)
    console.log(
      `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, ${coins} coins, ${blocks} blocks\n`,
    )
    const row = (name: string, figure: string) => console.log(`| ${name} | ${figure} |`)

    let began = performance.now()
    await sync()
    const seconds = (performance.now() - began) / 1000
    row('load', `${seconds.toFixed(0)} s, ${Math.round(coins / seconds)} coins/s`)
    const bytes = async () => {
      const [size] = await sql<{ bytes: number; count: number }[]>`
        select pg_total_relation_size('utxos')::bigint as bytes, (select count(*) from utxos)::bigint as count`
      return `${(size!.bytes / size!.count).toFixed(1)} bytes a coin (${size!.count} coins)`
    }
    row('fresh', await bytes())
    const lookUps = { url: postgres.url, coins }
    const idle = await duringLookUps(lookUps, () => sleep(UNDISTURBED_MS))
    row('coins of a wallet', `p50 ${at(idle, 0.5)}, p99 ${at(idle, 0.99)} ms`)

    const times: number[] = []
    const busy = await duringLookUps(lookUps, async () => {
      for (let n = 0; n < blocks; n++) {
        made.tip++
        made.milliseconds = 0
        began = performance.now()
        await sync()
        times.push(performance.now() - began - made.milliseconds)
      }
    })
    const total = times.reduce((sum, time) => sum + time, 0) / 1000
    const sorted = times.toSorted((a, b) => a - b)
    const changes = blocks * (PER_BLOCK.made + PER_BLOCK.spent)
    row(
      'blocks, one a commit',
      `${Math.round(changes / total)} changes/s, p50 ${at(sorted, 0.5)}, p95 ${at(sorted, 0.95)} ms`,
    )
    row(
      'coins of a wallet during the blocks',
      `p50 ${at(busy, 0.5)}, p99 ${at(busy, 0.99)}, most ${at(busy, 1)} ms (${busy.length} lookups)`,
    )
    row('after the blocks', await bytes())
    row('load at the end', loadavg()[0]!.toFixed(1))
  } finally {
    await sql.end()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

if (isMainThread) {
  await measure()
  process.exit(0)
} else await lookUp(workerData as { url: string; coins: number })
