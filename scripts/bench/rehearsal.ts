import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { addressOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { buildPayment, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import {
  hexOfTransaction,
  SEQUENCE_RBF,
  type Tx,
  type TxOutput,
  txidOf,
} from '@ordbook/bitcoin/transaction.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { MempoolWatcher } from '@ordbook/indexer/mempool/mempool.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { listingsInMempool } from '@ordbook/market/listings/recheck.ts'
import { LocalWallet } from '@ordbook/sdk/index.ts'
import { countCalls } from '../../e2e/support/count-calls.ts'
import { integerIn, readCommand } from '../command.ts'
import { enter, listItem, newWallet, trade, until, untilSold } from '../distribution/first-trade.ts'
import { IMPORTED_TYPE, market, POOL_SCRIPT, witnessOf } from './chain-blocks.ts'
import { FIRST, startFullChain } from './full-chain.ts'
import { cpuSecondsOf, postmasterOf } from './processes.ts'
import { type RunningServer, startServer, watchMemory } from './watched-server.ts'

const USAGE = `usage: npm run bench -- rehearsal [--transactions N] [--inscriptions N] [--mempool N] [--chain]

Rehearse the guide "Start on mainnet" on a regtest chain of full blocks, and fail if a step does not work. The chain is made once, resumes
after an interruption, and is kept in the cache directory.

  --transactions N   Default 1,000,000
  --inscriptions N   Default a tenth of the transactions
  --mempool N        Unconfirmed transactions, at most 100,000 (default)
  --chain            Only make the chain`
const { values } = readCommand(USAGE, {
  options: {
    transactions: { type: 'string', default: '1000000' },
    inscriptions: { type: 'string' },
    mempool: { type: 'string', default: '100000' },
    chain: { type: 'boolean', default: false },
  },
})
const PER_BLOCK = 3500
const transactions = integerIn(values.transactions, '--transactions', PER_BLOCK, 100_000_000)
const inscriptions = integerIn(
  values.inscriptions ?? String(Math.floor(transactions / 10)),
  '--inscriptions',
  1,
  transactions / 2,
)
const mempool = integerIn(values.mempool, '--mempool', 0, 100_000)

const LOOK_MILLISECONDS = 200
const REORG_DEPTH = 3
/** Mainnet from block 767,430 to 976,000, estimated; `writes` are inscriptions and moves. */
const MAINNET = { transactions: 780e6, writes: 324e6 }

const directory = mkdtempSync(join(tmpdir(), 'ordbook-rehearsal-'))
chmodSync(directory, 0o755)
const rows: [string, string][] = []
const note = (name: string, figure: string) => {
  rows.push([name, figure])
  console.error(`${name}: ${figure}`)
}
const whole = (value: number) => Math.round(value).toLocaleString('en-US')
const secondsSince = (began: number) => (performance.now() - began) / 1000
const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const began = performance.now()
  return [await work(), secondsSince(began)]
}

const made = performance.now()
const blocks = Math.ceil(transactions / PER_BLOCK)
const node = await startFullChain({
  blocks,
  perBlock: PER_BLOCK,
  mix: market(Math.round(transactions / inscriptions)),
  mempool,
})
note('chain, or its rest, and mempool', `${secondsSince(made).toFixed(0)} s`)
const { regtest } = node
/** Transactions of the chain that stay in the mempool while coins and listings are prepared. */
const waiting = new Set(await regtest.call<string[]>('getrawmempool'))
const last = FIRST + blocks - 1
const postgres = await startEmbedded(directory)
const sql = connect(postgres.url, { max: 2 })
const url = `http://127.0.0.1:${await freePort()}`
const environment = {
  ...process.env,
  CHAIN: 'regtest',
  DATABASE_URL: postgres.url,
  BITCOIN_RPC_URL: node.url,
  ADDRESS_INDEX_URL: `node://${join(directory, 'utxos')}`,
  DATA_DIR: join(directory, 'server'),
  PORT: new URL(url).port,
  RATE_LIMITS: 'off',
}

const command = (...args: string[]) =>
  promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, '../../cli/src/ordbook.ts'), 'market', ...args],
    {
      env: environment,
    },
  )

async function indexedHeight(): Promise<number> {
  const [row] = await sql<{ height: number | null }[]>`select max(height) as height from blocks`
  return row!.height ?? -1
}

async function sizeOf(tables: string): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ ${tables}`
  return row!.bytes
}

async function countOf(table: 'inscription_rows' | 'utxos'): Promise<number> {
  const [row] =
    table === 'utxos'
      ? await sql<{ count: number }[]>`select count(*)::bigint as count from utxos`
      : await sql<{ count: number }[]>`select count(*)::bigint as count from inscription_rows`
  return row!.count
}

/** Follows the chain to its tip, and loads the coins at the same time. */
async function catchUp(server: RunningServer): Promise<void> {
  const began = performance.now()
  const loading = Promise.all(['loading the UTXO set', 'UTXO set loaded'].map(server.logged))
  const cpuSeconds = () => cpuSecondsOf(server.child.pid!) + cpuSecondsOf(postmasterOf(postgres.directory))
  let first: { height: number; at: number; cpu: number } | null = null
  for (let reported = began; ; await sleep(LOOK_MILLISECONDS)) {
    if (server.child.exitCode !== null)
      throw new Error(`the server exited with code ${server.child.exitCode}`)
    const height = await indexedHeight()
    if (!first && height >= FIRST) first = { height, at: performance.now(), cpu: cpuSeconds() }
    if (height >= last) break
    if (performance.now() - reported < 60_000) continue
    reported = performance.now()
    console.error(`block ${height} of ${last} after ${secondsSince(began).toFixed(0)} s`)
  }
  const seconds = secondsSince(first!.at)
  const read = (last - first!.height) * PER_BLOCK
  const inscribed = await countOf('inscription_rows')
  const cpu = cpuSeconds() - first!.cpu
  const share = (last - first!.height) / blocks
  note(
    `${whole(read)} transactions with ${whole(inscribed * share)} inscriptions`,
    `${seconds.toFixed(0)} s: ${whole(read / seconds)} transactions/s, ${whole((inscribed * share) / seconds)} inscriptions/s; ` +
      `${cpu.toFixed(0)} s of processor time of server and PostgreSQL`,
  )
  const [loadBegan, loaded] = await loading
  const loadSeconds = (loaded! - loadBegan!) / 1000
  const coins = await countOf('utxos')
  note(
    `${whole(coins)} coins, next to the blocks`,
    `${loadSeconds.toFixed(0)} s: ${whole(coins / loadSeconds)} coins/s`,
  )
  // Half of the inscriptions move.
  const writes = 1.5 * inscribed * share
  const hoursOf = (spent: number) =>
    [MAINNET.transactions / read, MAINNET.writes / writes].map((times) => ((spent * times) / 3600).toFixed(0))
  note(
    'mainnet from block 767,430, by transactions; by inscriptions and moves (extrapolated)',
    `${hoursOf(seconds).join('; ')} h, ${hoursOf(cpu).join('; ')} h of processor time`,
  )
  const index = await sizeOf('^(?!utxo)')
  note('disk of PostgreSQL an inscription', `${whole(index / inscribed)} bytes`)
  note('disk of PostgreSQL a coin', `${whole((await sizeOf('^utxos$')) / coins)} bytes`)
}

async function untilAtTip(): Promise<void> {
  const tip = await regtest.call<number>('getblockcount')
  await until(
    'the tip',
    async () => {
      const hash = await regtest.call<string>('getblockhash', tip)
      const found = await sql`
        select 1 from blocks b, utxo_blocks u where b.block_hash = ${hash} and u.block_hash = ${hash}`
      return found.length > 0
    },
    600_000,
  )
}

/** Imports the collection of the chain. Returns its items. */
async function importItems(): Promise<string[]> {
  const items = await sql<{ inscriptionId: string }[]>`
    select inscription_id from inscriptions where content_type = ${IMPORTED_TYPE} order by sequence`
  const ids = items.map(({ inscriptionId }) => inscriptionId)
  const folder = join(directory, 'collections')
  mkdirSync(join(folder, 'lamps'), { recursive: true })
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, 'lamps', name), JSON.stringify(content))
  write('meta.json', { name: 'Lamps', slug: 'lamps' })
  write(
    'inscriptions.json',
    ids.map((id, n) => ({ id, meta: { name: `Lamp #${n}`, attributes: [] } })),
  )
  const [, seconds] = await timed(() => command('import', folder))
  note(`import of ${whole(ids.length)} items`, `${seconds.toFixed(0)} s`)
  const [parent] = await sql<{ inscriptionId: string }[]>`
    select inscription_id from inscriptions order by sequence limit 1`
  const [{ stdout }, more] = await timed(() =>
    command('collection', 'parent', parent!.inscriptionId, 'children', 'Children'),
  )
  note(`collection of the children (${stdout.trim()})`, `${more.toFixed(0)} s`)
  return ids
}

/** Mines a block without the transactions of the chain's mempool. */
async function mineOthers(): Promise<void> {
  // Parents are before their children.
  const txids = (await regtest.call<string[]>('getrawmempool')).filter((txid) => !waiting.has(txid))
  await regtest.call('generateblock', addressOfScript(taprootScriptOf(FAUCET_KEY), 'regtest'), txids)
}

async function pay(outputs: TxOutput[]): Promise<Tx> {
  const tx = await regtest.pay(outputs)
  await mineOthers()
  return tx
}

/** Sends an item of the chain to a wallet. Returns its coin. */
async function give(inscriptionId: string, wallet: LocalWallet): Promise<Coin> {
  const [item] = await sql<{ txid: string; vout: number; ownerScript: Uint8Array | null }[]>`
    select txid, vout, owner_script from inscriptions where inscription_id = ${inscriptionId}`
  const payment = await pay([{ valueSats: 20_000, script: POOL_SCRIPT }])
  const output = { valueSats: 10_000, script: wallet.ordinalsScript }
  const inputs = [
    { txid: item!.txid, vout: item!.vout, script: item!.ownerScript! },
    { txid: txidOf(payment), vout: 1, script: POOL_SCRIPT },
  ]
  const moved: Tx = {
    version: 2,
    locktime: 0,
    inputs: inputs.map(({ txid, vout, script }) => ({
      txid,
      vout,
      scriptSig: new Uint8Array(),
      sequence: SEQUENCE_RBF,
      witness: witnessOf(script),
    })),
    outputs: [output],
  }
  await regtest.mineExactly([moved])
  return { txid: txidOf(moved), vout: 0, ...output }
}

type Traded = Awaited<ReturnType<typeof trade>>

/** A trade of an item between new wallets. */
async function tradeItem(inscriptionId: string): Promise<Traded> {
  const [seller, buyer] = [newWallet(), newWallet()]
  const coin = await give(inscriptionId, seller)
  await pay([seller, buyer].map(({ paymentScript: script }) => ({ valueSats: 5_000_000, script })))
  await untilAtTip()
  const size = (await regtest.call<string[]>('getrawmempool')).length
  const [traded, seconds] = await timed(() =>
    trade({ url, regtest, slug: 'lamps', seller, buyer, item: { inscriptionId, coin }, mine: mineOthers }),
  )
  note(
    `sign-ins, listing and purchase with ${whole(size)} transactions in the mempool`,
    `${seconds.toFixed(1)} s, confirmed in block ${traded.blocks}`,
  )
  return traded
}

/** Looks at the whole mempool while the server is down, with a spend of a listed coin in it. */
async function lookAtMempool(inscriptionId: string): Promise<void> {
  const keys = { ordinals: new Uint8Array(32).fill(7), payment: new Uint8Array(32).fill(9) }
  const seller = new LocalWallet(keys, { network: 'regtest', paymentKind: 'p2wpkh' })
  const coin = await give(inscriptionId, seller)
  await pay([{ valueSats: 5_000_000, script: seller.paymentScript }])
  await untilAtTip()
  const item = { inscriptionId, coin }
  await listItem({ url, regtest, slug: 'lamps', item, mine: mineOthers }, await enter(url, seller))
  await server.stop()
  const spend = buildPayment([coin], [{ valueSats: coin.valueSats - 1000, script: coin.script }], {
    privateKey: keys.ordinals,
    feeRateSatVb: 4,
  })
  await regtest.call('sendrawtransaction', hexOfTransaction(spend))
  await sql`delete from mempool_spends`
  const began = performance.now()
  let known: number | null = null
  const watcher = new MempoolWatcher(sql, new CoreSource(node.url), [
    {
      ...listingsInMempool,
      async spent(tx, spends, now) {
        const all = [...spends]
        await listingsInMempool.spent(tx, all, now)
        if (known === null && all.some(({ spender }) => spender === txidOf(spend)))
          known = secondsSince(began)
      },
    },
  ])
  const calls = await countCalls(async () => {
    do await watcher.look()
    while (watcher.isUnfinished)
  })
  const seconds = secondsSince(began)
  const [row] = await sql<{ state: string }[]>`
    select state from listings where inscription_id = ${inscriptionId}`
  if (known === null || row!.state !== 'hidden_locked')
    throw new Error(`The listing whose coin is spent in the mempool is ${row!.state}.`)
  const size = (await regtest.call<string[]>('getrawmempool')).length
  note(
    `first look at ${whole(size)} transactions in the mempool`,
    `${seconds.toFixed(1)} s, the spend of a listed coin after ${(known as number).toFixed(1)} s; ` +
      Object.entries(calls)
        .map(([method, count]) => `${count} ${method}`)
        .join(', '),
  )
}

/** Replaces the last blocks, and waits until the market has followed. */
async function reorganize({ buyer, settlementTxid }: Traded): Promise<void> {
  const tip = await regtest.call<number>('getblockcount')
  const [, seconds] = await timed(async () => {
    await regtest.call('invalidateblock', await regtest.call<string>('getblockhash', tip - REORG_DEPTH + 1))
    await regtest.mine(REORG_DEPTH + 1)
    await untilAtTip()
  })
  await untilSold(buyer, 'lamps', settlementTxid)
  note(`reorg of ${REORG_DEPTH} blocks, with index and coins at the new tip`, `${seconds.toFixed(1)} s`)
}

let server: RunningServer

async function rehearse(): Promise<void> {
  const memory = watchMemory(postgres.directory)
  const [, seconds] = await timed(() => command('begin', '--from-node', '--at', String(FIRST)))
  note('begin', `${seconds.toFixed(1)} s`)
  server = startServer(environment)
  await catchUp(server)
  await untilAtTip()
  note('peak memory of the server with all roles', `${whole(server.peakMegabytes())} MB`)
  note('peak memory of PostgreSQL', `${whole(memory.peakMegabytes)} MB`)
  await until('a market that is ready', async () => (await fetch(`${url}/readyz`)).ok)
  const { marketAddress } = (await (await fetch(`${url}/keys`)).json()) as { marketAddress: string }
  await pay([{ valueSats: 50_000_000, script: scriptOfAddress(marketAddress, 'regtest')! }])
  const [first, second, third, fourth] = await importItems()
  await lookAtMempool(first!)
  server = startServer(environment)
  await until('a market that is ready', async () => (await fetch(`${url}/readyz`)).ok)
  await tradeItem(second!)
  await reorganize(await tradeItem(third!))
  await tradeItem(fourth!)
  await server.stop()
}

try {
  if (!values.chain) await rehearse()
  console.log(
    `${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}, ${whole(blocks * PER_BLOCK)} transactions in ${whole(blocks)} blocks\n`,
  )
  console.log('| Step | Result |\n| --- | --- |')
  for (const [name, figure] of rows) console.log(`| ${name} | ${figure} |`)
} finally {
  await sql.end()
  await postgres.stop()
  await node.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)
