import { randomBytes, randomUUID } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer } from '@ordbook/app/server.ts'
import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { connect, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { type Config, readConfig, type Tuning } from '@ordbook/db/settings/config.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import {
  Client,
  coinOfItem,
  LocalWallet,
  list,
  preparePurchase,
  signIn,
  type Trader,
} from '@ordbook/sdk/index.ts'
import type { Body } from '@ordbook/sdk/operations.ts'
import type { SettlementRequest, Signed } from '@ordbook/signer/requests.ts'
import { beforeAll, inject } from 'vitest'
import { coinIn, makeAnchors } from './coins.ts'
import { type NodeKind, nodeKind, startNode, type TestNode } from './node.ts'

export type TestTrader = Trader & { wallet: LocalWallet }

export interface TestMarket {
  node: TestNode
  regtest: Regtest
  server: Server
  sql: Sql
  databaseUrl: string
  dataDir: string
  base: string
  /** Creates a wallet with two payment coins worth `sats` in total, and signs it in. */
  trader(paymentKind?: KeySpend['kind'], sats?: number): Promise<TestTrader>
  /** Inscribes `count` items per owner and imports them as a collection. */
  collection(
    owners: LocalWallet | readonly LocalWallet[],
    count: number,
    postageSats?: number,
  ): Promise<{ slug: string; ids: string[] }>
  mine(count?: number): Promise<void>
  /** Lets the market split coins until `count` anchors and some tail coins are free. */
  anchors(count: number): Promise<void>
  /** Returns an inscription's coin and the offset of its sat. */
  coinOf(id: string): Promise<Coin & { offset: number }>
  stop(): Promise<void>
}

/** Settings by environment variable. `tuning` overrides constants. */
export interface Overrides {
  [setting: Uppercase<string>]: string
  tuning?: Tuning
}

/** Configuration of test servers: no rate limits, a small anchor pool. */
export function testConfig({ tuning, ...settings }: Overrides = {}): Config {
  return readConfig(
    { PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'error', ANCHOR_POOL: '60', ...settings },
    tuning,
  )
}

/** Creates an empty database or a copy of `template`. Its owner is the server's role. */
export async function freshDatabase(template = 'template1'): Promise<string> {
  const url = new URL(inject('postgresUrl'))
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = connect(inject('superuserUrl'), { max: 1 })
  await admin.unsafe(`create database ${name} owner ${url.username} template ${template}`)
  await admin.end()
  url.pathname = `/${name}`
  return url.href
}

/** Settings that do not affect the chain, keys or coins, so that the template can be used. */
const OF_SERVER_ALONE = [
  'FIAT_PER_BTC',
  'LOG_LEVEL',
  'PORT',
  'PREVIEW_SOCKET',
  'PROPOSAL_FEE_SATS',
  'PUBLIC_URL',
  'RATE_LIMITS',
  'MEMORY_MEGABYTES',
  'TRUST_PROXY',
]

/** Existing parts of a market. Missing parts are created. */
interface Parts {
  databaseUrl?: string
  nodeFlags?: readonly string[]
  /** Directories to copy: devnet data and market keys. */
  chain?: string
  keys?: string
}

/**
 * Starts a market before the tests of a file or `describe` and stops it after them. See `startMarket` for the parameters. The returned
 * object is empty until the market has started.
 */
export function setUpMarket(...[overrides, kind, parts]: Parameters<typeof startMarket>): TestMarket {
  const market = {} as TestMarket
  beforeAll(async () => {
    await startMarket(overrides, kind, parts, market)
    return () => market.stop()
  })
  return market
}

/**
 * Creates a trader of a market from `setUpMarket`. See `trader` for the parameters. The returned object is empty until the market has
 * started.
 */
export function setUpTrader(market: TestMarket, ...wallet: Parameters<TestMarket['trader']>): TestTrader {
  const trader = {} as TestTrader
  beforeAll(async () => {
    Object.assign(trader, await market.trader(...wallet))
  })
  return trader
}

/**
 * Starts a market with funds on a separate chain. Copies the template if no parts are passed and the settings allow it. Assigns the result
 * to `market`.
 */
export async function startMarket(
  overrides: Overrides = {},
  kind = nodeKind,
  parts: Pick<Parts, 'databaseUrl' | 'nodeFlags'> = {},
  market = {} as TestMarket,
): Promise<TestMarket> {
  const isPlain = Object.keys(parts).length === 0 && kind === 'devnet'
  if (!isPlain || !Object.keys(overrides).every((name) => OF_SERVER_ALONE.includes(name)))
    return startNewMarket(overrides, kind, parts, market)
  await openMarket(overrides, kind, await copyTemplate(), market)
  await market.server.sync()
  return market
}

async function startNewMarket(
  overrides: Overrides = {},
  kind: NodeKind = 'devnet',
  parts: Parts = {},
  market = {} as TestMarket,
): Promise<TestMarket> {
  await openMarket(overrides, kind, parts, market)
  await market.regtest.mine(120)
  await market.regtest.pay([{ valueSats: 500_000_000, script: market.server.context.market.coinScript }])
  await market.mine()
  await market.anchors(20)
  return market
}

/**
 * Copies a stopped new market, which takes half the CPU time of creating one. The first caller in a run creates the template. All copies
 * have the same keys, so each needs a separate chain.
 */
async function copyTemplate(): Promise<Parts> {
  const directory = inject('templateDirectory')
  const chain = join(directory, 'chain')
  const keys = join(directory, 'keys')
  const name = join(directory, 'database')
  const lock = connect(inject('superuserUrl'), { max: 1 })
  try {
    await lock`select pg_advisory_lock(1)`
    if (!existsSync(name)) {
      // Remove files of a caller that timed out.
      rmSync(directory, { recursive: true, force: true })
      const market = await startNewMarket()
      await market.server.close()
      // The mempool is not copied.
      await market.regtest.mine()
      await market.sql.end()
      cpSync(market.node.directory, chain, { recursive: true })
      renameSync(market.dataDir, keys)
      await market.node.stop()
      writeFileSync(name, new URL(market.databaseUrl).pathname.slice(1))
    }
  } finally {
    await lock.end()
  }
  return { chain, keys, databaseUrl: await freshDatabase(readFileSync(name, 'utf8')) }
}

async function openMarket(
  overrides: Overrides,
  kind: NodeKind,
  parts: Parts,
  market: TestMarket,
): Promise<void> {
  const node = await startNode(kind, parts.nodeFlags, parts.chain)
  const { regtest } = node
  const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-market-'))
  if (parts.keys) cpSync(parts.keys, dataDir, { recursive: true })
  const databaseUrl = parts.databaseUrl ?? (await freshDatabase())
  const config = testConfig({ DATA_DIR: dataDir, ...overrides })
  const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  const sql = connect(databaseUrl, { max: 2 })
  Object.assign(market, {
    node,
    regtest,
    server,
    sql,
    databaseUrl,
    dataDir,
    base: `${server.url}/api/v1`,
    trader: (paymentKind = 'p2wpkh', sats = 20_000_000) => makeTrader(market, paymentKind, sats),
    collection: (owners, count, postageSats = 10_000) =>
      makeCollection(market, [owners].flat(), count, postageSats),
    async mine(count = 1) {
      await regtest.mine(count)
      await market.server.sync()
    },
    anchors: (count) => makeAnchors(market, count),
    coinOf: (id) => coinIn(market.sql, id),
    async stop() {
      await market.sql.end()
      await market.server.close()
      await node.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  } satisfies TestMarket)
}

/** Restarts a market's server, optionally on another database. Close the previous server and connection pool first. */
export async function serveAgain(
  market: TestMarket,
  databaseUrl: string,
  overrides: Overrides = {},
): Promise<void> {
  const config = testConfig({ DATA_DIR: market.dataDir, ...overrides })
  market.server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: market.node.url })
  market.base = `${market.server.url}/api/v1`
  market.sql = connect(databaseUrl, { max: 2 })
  market.databaseUrl = databaseUrl
}

export function freshWallet(paymentKind: KeySpend['kind'] = 'p2wpkh'): LocalWallet {
  const key = () => new Uint8Array(randomBytes(32))
  return new LocalWallet({ ordinals: key(), payment: key() }, { network: 'regtest', paymentKind })
}

/** Signs a wallet in. Pass `now` if the server's clock differs. */
export async function enter(base: string, wallet: LocalWallet, now?: Date): Promise<TestTrader> {
  const client = new Client(base)
  const session = await signIn(client, wallet, new URL(base).host, now)
  return { client, wallet, walletBindingId: session.walletBindings[0]!.walletBindingId }
}

/** Creates a trader who pays by P2TR, and returns its keys. */
export async function keyHolder(
  market: TestMarket,
): Promise<{ trader: TestTrader; keys: { ordinals: Uint8Array; payment: Uint8Array } }> {
  const keys = { ordinals: new Uint8Array(randomBytes(32)), payment: new Uint8Array(randomBytes(32)) }
  const wallet = new LocalWallet(keys, { network: 'regtest', paymentKind: 'p2tr' })
  await market.regtest.pay([{ valueSats: 5_000_000, script: wallet.paymentScript }])
  await market.mine()
  return { trader: await enter(market.base, wallet), keys }
}

async function makeTrader(market: TestMarket, kind: KeySpend['kind'], sats: number): Promise<TestTrader> {
  const wallet = freshWallet(kind)
  const coin = { valueSats: Math.floor(sats / 2), script: wallet.paymentScript }
  await market.regtest.pay([coin, coin])
  await market.mine()
  return enter(market.base, wallet)
}

async function makeCollection(
  market: TestMarket,
  owners: readonly LocalWallet[],
  count: number,
  postageSats: number,
) {
  const slug = `test-${randomUUID().slice(0, 8)}`
  const ids = await market.regtest.inscribe(
    Array.from({ length: count * owners.length }, (_, i) => ({
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode(`${slug} ${i}`) },
      owner: owners[Math.floor(i / count)]!.ordinalsScript,
      postageSats,
    })),
  )
  await importAs(market, slug, ids)
  return { slug, ids }
}

export async function importAs(
  market: Pick<TestMarket, 'dataDir' | 'sql' | 'server'>,
  slug: string,
  ids: readonly string[],
): Promise<void> {
  const folder = join(market.dataDir, slug)
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: slug, slug }))
  writeFileSync(
    join(folder, slug, 'inscriptions.json'),
    JSON.stringify(ids.map((id, i) => ({ id, meta: { name: `${slug} #${i}`, attributes: [] } }))),
  )
  await loadCollections(market.sql, folder, { now: new Date() })
  await market.server.sync()
}

/** Lists inscriptions of a collection at one price, 20 per request. Returns listing ids by inscription id. */
export async function listAll(
  market: Pick<TestMarket, 'coinOf'>,
  seller: TestTrader,
  slug: string,
  ids: readonly string[],
  priceSats: number,
  maxFeeBps = 100,
): Promise<Map<string, string>> {
  const listed = new Map<string, string>()
  for (let at = 0; at < ids.length; at += 20) {
    const agreements = []
    for (const inscriptionId of ids.slice(at, at + 20))
      agreements.push({ inscriptionId, priceSats, coin: await market.coinOf(inscriptionId), maxFeeBps })
    const { listings } = await list(seller, slug, agreements)
    for (const { inscriptionId, listingId } of listings) listed.set(inscriptionId, listingId)
  }
  return listed
}

/** Returns a buyer's agreement on listings. Throws if an inscription is not listed. */
export async function agreementFor(
  market: Pick<TestMarket, 'regtest'>,
  buyer: TestTrader,
  ids: readonly string[],
) {
  const items = []
  for (const inscriptionId of ids) {
    const { listings } = await buyer.client.call('listListings', { query: { inscriptionId } })
    const listing = listings[0]
    if (!listing) throw new Error(`${inscriptionId} is not listed`)
    const { listingId, priceSats } = listing
    items.push({ inscriptionId, listingId, priceSats, coin: coinOfItem(listing) })
  }
  const coins = await market.regtest.coinsOf(buyer.wallet.paymentScript)
  return { items, coins, maxFeeBps: 100, maxNetworkSats: 100_000 }
}

/**
 * Captures a purchase's request to the signer and the signed package, which a cheating market could use. Then makes the signer unavailable,
 * so that the market neither stores nor broadcasts anything.
 */
export async function signedPackage(
  market: TestMarket,
  buyer: TestTrader,
  slug: string,
  ids: readonly string[],
): Promise<{ request: SettlementRequest; signed: Signed[]; body: Body<'submitPurchase'> }> {
  const { context } = market.server
  const { signer } = context
  let captured: { request: SettlementRequest; signed: Signed[] } | undefined
  context.signer = {
    ...signer,
    async signSettlement(request) {
      captured = { request, signed: await signer.signSettlement(request) }
      throw unavailable('signer-unavailable', 'taken by a test')
    },
  }
  try {
    const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
    await buyer.client.call('submitPurchase', { params: { slug }, body }).catch(() => {})
    return { ...captured!, body }
  } finally {
    context.signer = signer
  }
}

/** Polls `look` every 100 ms until it returns a truthy value. Throws after `seconds`. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  seconds = 20,
): Promise<T> {
  for (let waited = 0; waited < seconds * 1000; waited += 100) {
    const found = await look()
    if (found) return found
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`Timed out after ${seconds} seconds waiting for ${what}.`)
}

/** Starts calls while `lock` holds rows that they need. Releases the lock once all calls are blocked, so that they race. */
export async function startTogether<T>(
  { sql }: Pick<TestMarket, 'sql'>,
  lock: (tx: Transaction) => Promise<unknown>,
  calls: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const { settled } = await sql.begin(async (tx) => {
    await lock(tx)
    const settled = Promise.allSettled(calls.map((call) => call()))
    await until('calls that wait for the lock', async () => {
      const blocked = await sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return blocked.length >= calls.length
    })
    return { settled }
  })
  return settled
}
