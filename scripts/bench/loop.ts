import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { ApiError, buy } from '@ordbook/sdk/index.ts'
import { agreementFor, enter, listAll, startMarket } from '../../e2e/support/market.ts'
import { hasBitcoind } from '../../e2e/support/node.ts'
import { readCommand } from '../command.ts'
import type { LoopReport } from './loop-probe.ts'

readCommand('usage: npm run bench:loop', {})

/**
 * `npm run bench:loop` measures the holds of a server's event loop while sellers list twenty inscriptions at once, and while buyers
 * buy twenty listings in one settlement. The server is a process of its own, with follower and signer in it; the wallets are here.
 * The first round of a process also compiles its code, the later ones do not.
 */
const BATCHES = Number(process.env.BENCH_BATCHES ?? 2)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const LISTINGS = 20
const ROUND = BATCHES * LISTINGS

const directory = mkdtempSync(join(tmpdir(), 'ordbook-loop-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
/** A listing takes two anchors: its own, and that of its recovery. */
const ANCHORS = ROUNDS * ROUND * 2
const pool = String(ANCHORS * 2)
const market = await startMarket({ ANCHOR_POOL: pool }, hasBitcoind() ? 'bitcoind' : 'devnet', {
  databaseUrl: postgres.url,
})
let server: ChildProcess | undefined

/** Starts a server on the market's data in a process of its own. */
async function serve(): Promise<ChildProcess> {
  await market.server.close()
  const port = await freePort()
  const probe = join(import.meta.dirname, 'loop-probe.ts')
  const child = spawn(
    process.execPath,
    ['--import', probe, join(import.meta.dirname, '../../server/app/src/main.ts')],
    {
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        BITCOIN_RPC_URL: market.node.url,
        DATA_DIR: market.dataDir,
        PORT: String(port),
        ANCHOR_POOL: pool,
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  )
  await new Promise<void>((done, fail) => {
    child.on('message', (message) => 'url' in (message as object) && done())
    child.once('exit', () => fail(new Error('the server ended')))
  })
  market.base = `http://127.0.0.1:${port}/api/v1`
  return child
}

async function probed(child: ChildProcess, work: () => Promise<unknown>): Promise<LoopReport> {
  child.send('probe')
  await work()
  const report = new Promise<LoopReport>((done) =>
    child.on(
      'message',
      (message) => 'loop' in (message as object) && done((message as { loop: LoopReport }).loop),
    ),
  )
  child.send('report')
  return report
}

/** Prepares again where another buyer was faster at a coin of the market. */
async function repeating(work: () => Promise<unknown>): Promise<void> {
  for (;;)
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'preflight-outdated') throw error
    }
}

try {
  const seller = await market.trader()
  const buyers = []
  for (let n = 0; n < ROUNDS * BATCHES; n++) buyers.push(await market.trader())
  const { slug, ids } = await market.collection(seller.wallet, ROUNDS * ROUND)
  await market.anchors(ANCHORS)
  server = await serve()
  const again = await enter(market.base, seller.wallet)
  const entered = await Promise.all(buyers.map(({ wallet }) => enter(market.base, wallet)))
  const say = (what: string, { p99, max, longestTurn }: LoopReport) =>
    console.log(
      `${what}: event-loop delay p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms; ` +
        `longest turn ${longestTurn.toFixed(1)} ms of the processor`,
    )
  console.log(`${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}`)
  const quiet = await probed(server, () => new Promise((done) => setTimeout(done, 3000)))
  say('quiet', quiet)
  for (let round = 0; round < ROUNDS; round++) {
    const own = ids.slice(round * ROUND, (round + 1) * ROUND)
    const listed = await probed(server, () => listAll(market, again, slug, own, 60_000))
    say(`round ${round + 1}, ${BATCHES} times ${LISTINGS} listings`, listed)
    const bought = await probed(server, () =>
      Promise.all(
        entered.slice(round * BATCHES, (round + 1) * BATCHES).map(async (buyer, n) => {
          const wanted = own.slice(n * LISTINGS, (n + 1) * LISTINGS)
          await repeating(async () => buy(buyer, slug, await agreementFor(market, buyer, wanted)))
        }),
      ),
    )
    say(`round ${round + 1}, ${BATCHES} purchases of ${LISTINGS} listings at once`, bought)
  }
} finally {
  server?.kill('SIGKILL')
  await market.stop().catch(() => {})
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
