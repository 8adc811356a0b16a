import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { differencesFromNode } from '../indexer/support/utxo-dump.ts'
import { type FaultyDatabase, startFaultyDatabase } from '../operations/support/faults.ts'
import { sampled } from '../support/effort.ts'
import { freshWallet, startMarket, type TestMarket, testConfig, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

/**
 * Kills the server, or stops PostgreSQL immediately, while the UTXO set is loaded, followed and undone. Afterwards the table equals a dump
 * of the node, and in the meantime no funded address looks empty.
 */
const DELAYS = sampled([1], [1, 2, 3, 4, 5, 6])
/** One of so many cases is run. Odd, so that both ends are. */
const EACH = sampled(1, 1, 3)

/** By phase: whether the table is empty before, and the text of a query or call with which it begins. */
const PHASES = {
  load: [
    'truncate utxos',
    'dumptxoutset',
    'copy utxos',
    'create index utxos_script',
    'insert into utxo_blocks',
  ],
  follow: ['delete from utxos u', 'insert into utxos', 'insert into utxo_blocks', 'delete from utxo_blocks'],
  undo: ['delete from utxo_blocks where height =', 'delete from utxos u', 'insert into utxos'],
} as const

const cases = (Object.keys(PHASES) as (keyof typeof PHASES)[]).flatMap((phase) =>
  PHASES[phase].flatMap((text) =>
    DELAYS.flatMap((at) => (['killed', 'stopped'] as const).map((how) => ({ phase, text, at, how }))),
  ),
)

let database: FaultyDatabase
let market: TestMarket
let folder: string
let sql: Sql
let source: CoreSource
const funded = freshWallet().paymentScript

beforeAll(async () => {
  database = await startFaultyDatabase()
  market = await startMarket({ LOG_LEVEL: 'silent' }, 'bitcoind', { databaseUrl: database.url })
  folder = mkdtempSync(join(tmpdir(), 'ordbook-utxos-'))
  await market.regtest.fund(funded, 77_000)
  await market.server.close()
  sql = connect(database.url)
  source = new CoreSource(market.node.url)
}, 300_000)
afterAll(async () => {
  await sql?.end({ timeout: 1 })
  await market?.node.stop()
  await database?.close()
  rmSync(folder, { recursive: true, force: true })
})

const start = (settings: Record<Uppercase<string>, string> = {}, preload?: string): ServerProcess =>
  spawnServer(
    market,
    0,
    { ADDRESS_INDEX_URL: `node://${folder}`, ...settings, tuning: { utxoLoadPauseMilliseconds: 0 } },
    preload,
  )

const isEqual = () =>
  until(
    'a table that equals the node',
    async () => {
      const differences = await differencesFromNode(sql, market.node).catch(() => null)
      return differences?.length === 0
    },
    60,
  )

const lookUp = () => {
  const config = testConfig({ ADDRESS_INDEX_URL: `node://${folder}` })
  return unspentOf({ sql, node: source, ord: null, config }, funded)
}

/** Looks the funded address up until `work` ends. Returns the different answers. */
async function answersDuring(work: () => Promise<unknown>): Promise<Set<string>> {
  const answers = new Set<string>()
  let isOver = false
  const working = work().finally(() => (isOver = true))
  while (!isOver) {
    answers.add(
      await lookUp().then(
        ({ coins }) => `${coins.length} coins`,
        (error: Error) => (error instanceof Fault ? error.kind : error.message),
      ),
    )
    await new Promise((done) => setTimeout(done, 20))
  }
  await working
  return answers
}

async function prepare(phase: keyof typeof PHASES): Promise<void> {
  if (phase === 'load') {
    await sql`truncate utxos, utxo_blocks`
    return
  }
  const server = start()
  await isEqual()
  await market.regtest.mine(3)
  if (phase === 'undo') {
    await isEqual()
    await server.kill('SIGKILL')
    const hash = await market.regtest.call<string>('getblockhash', await market.regtest.call('getblockcount'))
    await market.regtest.call('invalidateblock', hash)
    await market.regtest.call('generatetoaddress', 2, freshWallet().paymentAddress)
  } else await server.kill('SIGKILL')
}

it.each(cases.filter((_, n) => n % EACH === 0))(
  '$phase: $how at moment $at of $text',
  async ({ phase, text, at, how }) => {
    await prepare(phase)
    const [postgres] = database.processes()
    let server = start(
      {
        CRASH_AT: String(at),
        CRASH_FROM: text === 'dumptxoutset' ? `query:"${text}"` : `query:${text}`,
        ...(how === 'stopped' ? { CRASH_POSTGRES: String(postgres) } : {}),
      },
      'crash-at.ts',
    )
    let hasCrashed = false
    const answers = await answersDuring(async () => {
      if (how === 'killed') {
        hasCrashed = (await server.ended) === 'SIGKILL'
        server = start()
      } else {
        hasCrashed = await until('PostgreSQL to stop', async () => database.processes().length === 0, 60)
        await database.start()
      }
      await isEqual()
    })
    await server.kill('SIGKILL')
    expect(hasCrashed).toBe(true)
    for (const answer of answers) expect(['1 coins', 'unavailable']).toContain(answer)
  },
  180_000,
)
