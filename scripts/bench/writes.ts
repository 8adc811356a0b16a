import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import {
  buy,
  Client,
  coinOfItem,
  delist,
  LocalWallet,
  list,
  signIn,
  type Trader,
} from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { tune } from '../../e2e/support/tune.ts'
import { integerIn, readCommand } from '../command.ts'
import { type Machine, startMachine } from './market.ts'

readCommand('usage: npm run bench -- writes   (BENCH_TRADES trades, 20 by default)', {})

/**
 * `npm run bench -- writes`: measures the cost of sign-ins, listings, purchases, delistings and blocks: CPU time of server and PostgreSQL,
 * WAL bytes and transactions. Makes real trades on the devnet. Subtracts the cost of an idle market.
 */
const TRADES = integerIn(process.env.BENCH_TRADES ?? '20', 'BENCH_TRADES', 1, 100)
const SLUG = 'bench'
const IDLE_SECONDS = 10
const TIMEOUT_MS = 120_000

interface Reading {
  at: number
  serverCpu: number
  databaseCpu: number
  walBytes: number
  transactions: number
}
interface Market {
  url: string
  sql: Sql
  regtest: Regtest
  server: ChildProcess
  machine: Machine
}
type Visitor = Trader & { wallet: LocalWallet }

const KEYS = ['serverCpu', 'databaseCpu', 'walBytes', 'transactions'] as const

async function read({ sql, server, machine }: Market): Promise<Reading> {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Database sessions report their transactions at most once a second.
  await rest(1200)
  const [row] = await sql<{ bytes: number; transactions: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8 as bytes,
      (select xact_commit from pg_stat_database where datname = current_database())::int8 as transactions`
  return {
    at: performance.now(),
    serverCpu: (Number(fields[11]) + Number(fields[12])) * 10_000,
    databaseCpu: machine.databaseCpu(),
    walBytes: row!.bytes,
    transactions: row!.transactions,
  }
}

async function difference(market: Market, work: () => Promise<unknown>) {
  const before = await read(market)
  await work()
  // A write can have delayed effects.
  await rest(500)
  const after = await read(market)
  const elapsed = { milliseconds: after.at - before.at }
  return Object.assign(elapsed, Object.fromEntries(KEYS.map((key) => [key, after[key] - before[key]]))) as {
    milliseconds: number
  } & Record<(typeof KEYS)[number], number>
}

async function until<T>(what: string, attempt: () => Promise<T | false | null | undefined>): Promise<T> {
  const end = performance.now() + TIMEOUT_MS
  let problem: unknown
  while (performance.now() < end) {
    const found = await attempt().catch((error: unknown) => void (problem = error))
    if (found) return found
    await rest(200)
  }
  throw new Error(`Timed out waiting for ${what}.`, { cause: problem })
}

async function startMarket(machine: Machine): Promise<Market> {
  const databaseUrl = await machine.database('writes')
  const port = await freePort()
  const tuned = tune('@ordbook/db/settings/config.ts', { tailPool: TRADES * 2 })
  const server = spawn(
    process.execPath,
    [...tuned.flags, join(import.meta.dirname, '../../server/app/src/main.ts')],
    {
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        BITCOIN_RPC_URL: machine.rpcUrl,
        DATA_DIR: join(machine.directory, 'server'),
        PORT: String(port),
        RATE_LIMITS: 'off',
        ANCHOR_POOL: String(TRADES * 6),
        LOG_LEVEL: 'error',
        ...tuned.environment,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const url = `http://127.0.0.1:${port}`
  await until('a server', async () => (await fetch(`${url}/readyz`)).ok)
  const sql = connect(databaseUrl, { max: 1 })
  return { url, sql, regtest: new Regtest(machine.rpcUrl), server, machine }
}

function freshWallet(): LocalWallet {
  const key = () => new Uint8Array(randomBytes(32))
  return new LocalWallet({ ordinals: key(), payment: key() }, { network: 'regtest', paymentKind: 'p2wpkh' })
}

async function enter({ url }: Market, wallet: LocalWallet): Promise<Visitor> {
  const client = new Client(`${url}/api/v1`)
  const { walletBindings } = await signIn(client, wallet, new URL(url).host)
  return { client, wallet, walletBindingId: walletBindings[0]!.walletBindingId }
}

async function follow({ regtest, sql }: Market): Promise<void> {
  const height = await regtest.call<number>('getblockcount')
  await until('a block in the index', async () => {
    const [row] = await sql<{ height: number | null }[]>`select max(height) as height from blocks`
    return row!.height === height
  })
}

/** Creates a collection, and a market with enough coins to trade all its inscriptions. */
async function prepare(market: Market, seller: LocalWallet, buyer: LocalWallet): Promise<void> {
  const { regtest, sql, url, machine } = market
  const { marketAddress } = (await (await fetch(`${url}/keys`)).json()) as { marketAddress: string }
  await regtest.mine(120)
  await regtest.pay([{ valueSats: 500_000_000, script: scriptOfAddress(marketAddress, 'regtest')! }])
  await regtest.pay([{ valueSats: 5_000_000, script: seller.paymentScript }])
  await regtest.pay(
    Array.from({ length: TRADES }, () => ({ valueSats: 1_000_000, script: buyer.paymentScript })),
  )
  const body = new TextEncoder().encode('bench')
  const inscription = { contentType: 'text/plain', body }
  const ids = await regtest.inscribe(
    Array.from({ length: TRADES * 2 }, () => ({
      inscription,
      owner: seller.ordinalsScript,
      postageSats: 10_000,
    })),
  )
  await regtest.mine()
  const folder = join(machine.directory, 'collections')
  mkdirSync(join(folder, SLUG), { recursive: true })
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, SLUG, name), JSON.stringify(content))
  write('meta.json', { name: 'Bench', slug: SLUG })
  write(
    'inscriptions.json',
    ids.map((id, n) => ({ id, meta: { name: `Bench #${n}`, attributes: [] } })),
  )
  await loadCollections(sql, folder, { now: new Date() })
  await until('coins of the market', async () => {
    if ((await regtest.call<string[]>('getrawmempool')).length > 0) await regtest.mine()
    const [row] = await sql<{ anchors: number; tails: number }[]>`
      select count(*) filter (where value_sats = 330) as anchors, count(*) filter (where value_sats between 10000 and 40000) as tails
      from market_coins where spent_height is null and not retired and reserved_for is null`
    return row!.anchors >= TRADES * 5 && row!.tails >= TRADES
  })
  await follow(market)
}

async function measureAll(market: Market): Promise<void> {
  const { regtest } = market
  const [seller, buyer] = [freshWallet(), freshWallet()]
  await prepare(market, seller, buyer)
  const [sells, buys] = [await enter(market, seller), await enter(market, buyer)]
  const idle = await difference(market, () => rest(IDLE_SECONDS * 1000))
  const line = (what: string, count: number, measured: typeof idle) => {
    const of = (key: (typeof KEYS)[number]) =>
      (measured[key] - (idle[key] * measured.milliseconds) / idle.milliseconds) / count
    console.log(`| ${what} | ${KEYS.map((key) => of(key).toFixed(0)).join(' | ')} |`)
  }
  console.log(
    '| one | server, µs CPU | PostgreSQL, µs CPU | bytes of log | transactions |\n| --- | ---: | ---: | ---: | ---: |',
  )
  const measure = async (what: string, count: number, work: () => Promise<unknown>) =>
    line(what, count, await difference(market, work))
  const times = async (work: (n: number) => Promise<unknown>) => {
    for (let n = 0; n < TRADES; n++) await work(n)
  }
  await measure('sign-in of two addresses', TRADES, () => times(() => enter(market, seller)))
  const { items } = await sells.client.call('listCollectionInscriptions', {
    params: { slug: SLUG },
    query: { limit: 100 },
  })
  const sell = (item: (typeof items)[number], priceSats: number) => {
    const { inscriptionId } = item
    return list(sells, SLUG, [{ inscriptionId, priceSats, coin: coinOfItem(item, 10_000), maxFeeBps: 500 }])
  }
  await measure('listing', TRADES, () => times((n) => sell(items[n]!, 50_000 + n * 100)))
  await times((n) => sell(items[TRADES + n]!, 90_000 + n * 100))
  const { listings } = await buys.client.call('listListings', {
    query: { collectionSlug: SLUG, limit: 100, sort: 'price' },
  })
  const cheapest = listings.toSorted((one, other) => one.priceSats - other.priceSats)
  const coins = await regtest.coinsOf(buyer.paymentScript)
  await measure('purchase of one listing', TRADES, () =>
    times((n) => purchase(buys, cheapest[n]!, coins[n]!)),
  )
  await measure(`sale in a block of ${TRADES}`, TRADES, async () => {
    await regtest.mine()
    await follow(market)
    await rest(1000)
  })
  await measure('delisting', TRADES, () => times((n) => delist(sells, SLUG, [cheapest[TRADES + n]!])))
  await measure('empty block', TRADES, () =>
    times(async () => {
      await regtest.mine()
      await follow(market)
    }),
  )
  console.log(
    `\nidle, per second: ${KEYS.map((key) => `${key} ${((idle[key] * 1000) / idle.milliseconds).toFixed(0)}`).join(', ')}`,
  )
}

function purchase(
  buys: Visitor,
  listing: Answer<'listListings'>['listings'][number],
  coin: Awaited<ReturnType<Regtest['coinsOf']>>[number],
): Promise<unknown> {
  const { inscriptionId, listingId, priceSats } = listing
  return buy(buys, SLUG, {
    items: [{ inscriptionId, listingId, priceSats, coin: coinOfItem(listing) }],
    coins: [coin],
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
}

async function describeIdle({ server, sql }: Market): Promise<string> {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  const memory = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from pg_stat_activity where datname = current_database() and application_name like 'ordbook %'`
  return `server: ${memory('VmRSS').toFixed(0)} MB resident, ${memory('VmHWM').toFixed(0)} at most, ${row!.count} connections`
}

const machine = await startMachine()
let market: Market | undefined
try {
  market = await startMarket(machine)
  await measureAll(market)
  console.log(await describeIdle(market))
} finally {
  await market?.sql.end()
  const { server } = market ?? {}
  if (server && server.exitCode === null) {
    const exited = new Promise((done) => server.once('exit', done))
    server.kill('SIGTERM')
    await exited
  }
  await machine.stop()
}
process.exit(0)
