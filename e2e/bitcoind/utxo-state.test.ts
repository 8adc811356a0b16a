import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getStatus } from '@ordbook/contract/record.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import type { Fault } from '@ordbook/db/process/errors.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { findIndexingPercent } from '@ordbook/indexer/utxos/load-queries.ts'
import { indexUtxos } from '@ordbook/indexer/utxos/utxo-queries.ts'
import { examine } from '@ordbook/operations/doctor/examine.ts'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { expectInDoctor, expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import {
  enter,
  freshDatabase,
  freshWallet,
  serveAgain,
  startMarket,
  type TestMarket,
  testConfig,
  until,
} from '../support/market.ts'
import { type DumpGate, openDumpGate } from './support/dump-gate.ts'

/** What visitors and operators see of the table of UTXOs. */
let market: TestMarket
let gate: DumpGate
let folder: string
let original: string

beforeAll(async () => {
  market = await startMarket({}, 'bitcoind')
  await market.regtest.mine(300)
  await market.server.close()
  await market.sql.end()
  gate = await openDumpGate(market.node.url)
  market.node.url = gate.url
  folder = mkdtempSync(join(tmpdir(), 'ordbook-utxos-'))
  original = join(folder, 'original')
}, 120_000)
afterAll(async () => {
  await market.node.stop()
  gate?.close()
  rmSync(folder, { recursive: true, force: true })
})

const atNode = () => `node://${folder}`

async function serve(addressIndexUrl: string | null): Promise<void> {
  await serveAgain(market, market.databaseUrl, {
    ...(addressIndexUrl === null ? {} : { ADDRESS_INDEX_URL: addressIndexUrl }),
    tuning: { utxoLoadPauseMilliseconds: 0 },
  } as Parameters<typeof serveAgain>[2])
}

async function stop(): Promise<void> {
  await market.server.close()
  await market.sql.end()
}
afterEach(async () => {
  gate.onDump = (path, dump) => dump(path)
  await stop()
})

type Status = AnswerOf<typeof getStatus>
const utxosNow = async () => {
  const response = await fetch(`${market.server.url}/status`)
  return ((await response.json()) as Status).utxos
}
type Utxos = NonNullable<Status['utxos']>
const utxosLike = (what: string, test: (utxos: Utxos) => boolean) =>
  until(what, async () => {
    const utxos = await utxosNow()
    return utxos && test(utxos) ? utxos : false
  })

async function findingsNow(addressIndexUrl = atNode()) {
  const config = testConfig({
    DATA_DIR: market.dataDir,
    BITCOIN_RPC_URL: gate.url,
    ADDRESS_INDEX_URL: addressIndexUrl,
  })
  return Array.fromAsync(examine(config, market.databaseUrl))
}
const coinsFinding = async (addressIndexUrl?: string) =>
  (await findingsNow(addressIndexUrl)).find(({ about }) => about === 'coins')

/** Looks up the coins of a new wallet. Returns the refusal, and how long it took. */
async function lookUp() {
  const began = performance.now()
  const refusal = await unspentOf(market.server.context, freshWallet().paymentScript).then(
    () => null,
    (error: Fault) => error,
  )
  return { code: refusal?.code ?? null, message: refusal?.message, milliseconds: performance.now() - began }
}

/** Makes the next server load again. */
async function forget(): Promise<void> {
  const sql = connect(market.databaseUrl, { max: 1 })
  await sql`delete from utxo_blocks`
  await sql.end()
}

const tip = () => market.regtest.call<number>('getblockcount')
const isReady = ({ state }: Utxos) => state === 'ready'

it('shows each phase of a load, and answers lookups immediately', async () => {
  const [dumping, writing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  gate.onDump = async (path, dump) => {
    await dumping.promise
    rmSync(original, { force: true })
    const report = await dump(original)
    const bytes = readFileSync(original)
    const pipe = await open(path, 'w')
    await pipe.write(bytes.subarray(0, bytes.length * 0.75))
    await writing.promise
    await pipe.write(bytes.subarray(bytes.length * 0.75))
    await pipe.close()
    return report
  }
  await serve(atNode())
  expect(await utxosLike('the node', ({ phase }) => phase === 'waiting')).toMatchObject({
    state: 'loading',
    height: null,
    coinsRead: null,
    percent: null,
    reason: null,
  })
  expect(await coinsFinding()).toMatchObject({
    state: 'warning',
    found: expect.stringMatching(/waiting for the node/),
  })
  const waiting = await lookUp()
  expect(waiting.code).toBe('address-index-building')
  expect(waiting.milliseconds).toBeLessThan(1000)
  dumping.resolve()
  const reading = await utxosLike('coins', ({ coinsRead }) => coinsRead !== null && coinsRead > 0)
  expect(reading).toMatchObject({ state: 'loading', phase: 'reading' })
  expect(reading.coinsRead).toBeLessThan(reading.coinsTotal!)
  expect(reading.percent).toBeCloseTo((100 * reading.coinsRead!) / reading.coinsTotal!)
  const findings = await findingsNow()
  expectInDoctor(['coins-loading'], findings)
  expect(findings.find(({ about }) => about === 'coins')!.found).toMatch(/reading \d+ of \d+ coins, \d+ %/)
  expect(await lookUp()).toMatchObject({
    code: 'address-index-building',
    message: expect.stringMatching(/\(\d+ %\)/),
  })
  await expect(enter(market.base, freshWallet())).rejects.toMatchObject({
    status: 503,
    code: 'funding-check-unavailable',
    message: expect.stringMatching(/is reading the coins of all addresses/),
  })
  // Tables that are not locked keep their sizes.
  const metrics = await (await fetch(`${market.server.url}/metrics`)).text()
  expect(metrics).toMatch(/ordbook_table_bytes\{table="blocks"\} \d+/)
  expect(metrics).not.toMatch(/^ordbook_utxo_height/m)
  writing.resolve()
  expect(await utxosLike('the table', isReady)).toEqual({
    state: 'ready',
    height: await tip(),
    phase: null,
    coinsRead: null,
    coinsTotal: null,
    percent: null,
    secondsLeft: null,
    reason: null,
  })
  expect(await coinsFinding()).toMatchObject({ state: 'ok', found: `block ${await tip()}` })
  expect(await lookUp()).toMatchObject({ code: null })
}, 120_000)

it.each<[string, RegExp, string, DumpGate['onDump']]>([
  [
    'a node that cannot write to the folder',
    /cannot write its coins into the folder/,
    'Node and server must see the same folder',
    (_, dump) => dump('/nonexistent/utxos.dump'),
  ],
  [
    'a node that writes elsewhere',
    /cannot write its coins into the folder/,
    'Node and server must see the same folder',
    async (_, dump) => {
      rmSync(original, { force: true })
      return dump(original)
    },
  ],
  [
    'a node that ends the connection',
    /the Bitcoin node does not respond/,
    'Start the node',
    async () => {
      throw new Error('gone')
    },
  ],
  [
    'a dump that another user changed',
    /not those that the node reported/,
    'Let only node and server write',
    async (path, dump) => {
      rmSync(original, { force: true })
      const report = await dump(original)
      const bytes = readFileSync(original)
      bytes[bytes.length - 3]! ^= 1
      await writeFile(path, bytes)
      return report
    },
  ],
])(
  'names the cause of a failed load: %s',
  async (_, reason, mend, onDump) => {
    gate.onDump = onDump
    await forget()
    await serve(atNode())
    const failed = await utxosLike(
      'a failure',
      (utxos) => utxos.state === 'failed' && reason.test(utxos.reason!),
    )
    expect(failed).toMatchObject({ height: null, reason: expect.stringMatching(reason) })
    expect(failed.reason).not.toContain(folder)
    expect((await lookUp()).code).toBe('address-index-unavailable')
    const findings = await findingsNow()
    expectInDoctor(['coins-failed'], findings)
    expect(findings.find(({ about }) => about === 'coins')).toMatchObject({
      found: expect.stringMatching(reason),
      mend: expect.stringContaining(mend),
    })
    await expectInMetrics(['coins-failed'], metricsAt(market.server.url))
    gate.onDump = (path, dump) => dump(path)
    expect(await utxosLike('the table', isReady)).toMatchObject({ height: await tip(), reason: null })
    expect(await coinsFinding()).toMatchObject({ state: 'ok' })
  },
  120_000,
)

it('names a folder that the server cannot use', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await forget()
  await serve(`node://${file}/utxos`)
  await utxosLike('a failure', ({ reason }) => /^the server cannot use the folder/.test(reason ?? ''))
  expect(await coinsFinding(`node://${file}/utxos`)).toMatchObject({
    found: expect.stringMatching(/ENOTDIR|EEXIST/),
  })
}, 120_000)

it('frees the tables with another source, and loads them again', async () => {
  const bytes = async () => {
    const [row] = await market.sql<{ bytes: number }[]>`
      select (pg_relation_size('utxos') + pg_relation_size('utxo_blocks'))::bigint as bytes`
    return row!.bytes
  }
  await serve(atNode())
  await utxosLike('the table', isReady)
  expect(await bytes()).toBeGreaterThan(0)
  await stop()
  await serve(null)
  await until('free disk', async () => (await bytes()) === 0)
  expect(await market.sql`select from utxo_blocks`).toHaveLength(0)
  expect(await utxosNow()).toBe(null)
  expect(await coinsFinding('electrum://127.0.0.1:1')).toBe(undefined)
  await stop()
  await serve(atNode())
  expect(await utxosLike('the table', isReady)).toMatchObject({ height: await tip() })
  expect(await bytes()).toBeGreaterThan(0)
}, 120_000)

it('measures the progress of the index', async () => {
  const sql = connect(await freshDatabase(), { max: 2 })
  try {
    await migrate(sql)
    await sql`drop index if exists utxos_script`
    await sql`
      insert into utxos (script, head, vout, value_sats, txid_rest, height)
      select hashint8extended(n, 0), hashint8extended(n, 1), 0, 1, '\\x00', 1 from generate_series(1, 1500000) n`
    let isOver = false
    const indexing = indexUtxos(sql).finally(() => (isOver = true))
    const seen: number[] = []
    while (!isOver) {
      const percent = await findIndexingPercent(sql)
      if (percent !== null) seen.push(percent)
      await new Promise((done) => setTimeout(done, 10))
    }
    await indexing
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.filter((percent) => percent > 0 && percent < 100).length).toBeGreaterThan(2)
    expect(await findIndexingPercent(sql)).toBe(null)
  } finally {
    await sql.end()
  }
}, 120_000)
