import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '@ordbook/db/driver/connect.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { findUtxoTip } from '@ordbook/indexer/utxos/utxo-queries.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { differencesFromNode } from '../indexer/support/utxo-dump.ts'
import { type FaultyDatabase, startFaultyDatabase } from '../operations/support/faults.ts'
import { type StreamingReplica, startReplica } from '../operations/support/replica.ts'
import { freshWallet, serveAgain, startMarket, type TestMarket, until } from '../support/market.ts'

/** The table of UTXOs is not replicated: a market with a read replica uses that of the primary, and a promoted replica has none. */
let database: FaultyDatabase
let replica: StreamingReplica
let market: TestMarket
let folder: string
const funded = freshWallet().paymentScript

beforeAll(async () => {
  database = await startFaultyDatabase()
  replica = await startReplica(database)
  market = await startMarket({}, 'bitcoind', { databaseUrl: database.url })
  await market.regtest.fund(funded, 77_000)
  await market.server.close()
  await market.sql.end()
  folder = mkdtempSync(join(tmpdir(), 'ordbook-utxos-'))
  const { host } = new URL(replica.url)
  await serveAgain(market, database.url.replace(/@([^/]+)/, `@$1,${host}`), {
    ADDRESS_INDEX_URL: `node://${folder}`,
    DATABASE_READ_URL: replica.url,
    LOG_LEVEL: 'silent',
    tuning: { utxoLoadPauseMilliseconds: 0 },
  } as Parameters<typeof serveAgain>[2])
}, 300_000)
afterAll(async () => {
  await market?.stop().catch(() => {})
  await replica?.close()
  await database?.close()
  rmSync(folder, { recursive: true, force: true })
})

const lookUp = () =>
  unspentOf(market.server.context, funded).then(
    ({ coins }) => `${coins.length} coins`,
    (error: Error) => (error instanceof Fault ? error.kind : error.message),
  )
const utxosNow = async () => {
  const status = (await (await fetch(`${market.server.url}/status`)).json()) as { utxos: { state: string } }
  return status.utxos.state
}
const isLoaded = async () =>
  (await utxosNow().catch(() => null)) === 'ready' &&
  (await differencesFromNode(market.sql, market.node).catch(() => null))?.length === 0

it('reads the table from the primary, and loads it again after a promotion', async () => {
  await until('the table', isLoaded, 60)
  const { state } = market.server.context.replica!
  await until('the replica', async () => state.isUp)
  const direct = connect(replica.url, { max: 1 })
  await expect(direct`select from utxo_blocks`).rejects.toThrow(/unlogged/)
  await direct.end()
  for (let n = 0; n < 20; n++) expect(await lookUp()).toBe('1 coins')
  expect(await utxosNow()).toBe('ready')
  const before = (await findUtxoTip(market.sql))!

  const answers = new Set<string>()
  let isOver = false
  const looking = (async () => {
    for (; !isOver; await sleep(20)) answers.add(await lookUp())
  })()
  await database.kill()
  await sleep(1000)
  await replica.admin`select pg_promote()`
  await until('the table', isLoaded, 120)
  isOver = true
  await looking
  for (const answer of answers) expect(['1 coins', 'unavailable']).toContain(answer)
  expect(answers).toContain('unavailable')
  expect(await lookUp()).toBe('1 coins')
  const after = (await findUtxoTip(market.sql))!
  expect(Buffer.from(after.scriptKey)).not.toEqual(Buffer.from(before.scriptKey))
}, 240_000)
