import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer } from '@ordbook/app/server.ts'
import { flowCoins } from '@ordbook/bitcoin/coin-flow.ts'
import { blockTransactionOf } from '@ordbook/bitcoin/raw-block.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { tagOf } from '@ordbook/db/driver/statement.ts'
import { coinKeysOf, listRoots } from '@ordbook/indexer/inscriptions/coin-queries.ts'
import { IndexedCoins } from '@ordbook/indexer/inscriptions/indexed-coins.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, testConfig } from '../support/market.ts'
import { nodeKind, startNode, type TestNode } from '../support/node.ts'
import { own } from './support/attacks/own.ts'
import { reviewed } from './support/attacks/reviewed.ts'
import { trade } from './support/attacks/traded.ts'
import { anyone, EMPTY, spend } from './support/hostile.ts'
import { HostileChain } from './support/hostile-chain.ts'
import { indexOf } from './support/index-of.ts'
import { JsonChain } from './support/random-chain.ts'
import { recompute } from './support/slow-index.ts'

/** The bombs of `npm run bench -- hostile` in a small size. */
const bombs = [...reviewed, ...own]
  .map(({ make, sizes }) => make(sizes[1]))
  .filter(({ needsBitcoind }) => !needsBitcoind || nodeKind === 'bitcoind')
const ITEMS = Number.MAX_SAFE_INTEGER

let node: TestNode
let server: Server
let sql: Sql
let chain: HostileChain
const directory = mkdtempSync(join(tmpdir(), 'ordbook-hostile-'))
beforeAll(async () => {
  node = await startNode()
  const databaseUrl = await freshDatabase()
  const config = testConfig({ DATA_DIR: directory, ROLES: 'follower', SAT_INDEX: 'on' })
  await node.regtest.mine(103)
  server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  sql = connect(databaseUrl, { max: 2 })
  chain = new HostileChain(node.regtest)
})
afterAll(async () => {
  await sql?.end()
  await server?.close()
  await node?.stop()
  rmSync(directory, { recursive: true, force: true })
})

it.each(bombs)('indexes $name, undoes and repeats it', { timeout: 300_000 }, async (bomb) => {
  const height = () => node.regtest.call<number>('getblockcount')
  await chain.fund([bomb])
  const start = await height()
  let base = start
  await chain.mine(bomb, async () => {
    await server.sync()
    await trade(sql, bomb, start, ITEMS)
    base = await height()
  })
  expect(await server.sync()).toBe(await height())
  const above = await indexOf(sql)
  const hash = await node.regtest.call<string>('getblockhash', base + 1)
  await node.regtest.call('invalidateblock', hash)
  expect(await server.sync()).toBe(base)
  await node.regtest.call('reconsiderblock', hash)
  await server.sync()
  expect(await indexOf(sql)).toEqual(above)
  expect(await checkRollups(server.context)).toEqual([])
})

it('matches locations recomputed from the chain', async () => {
  const slow = recompute(await new JsonChain(node.regtest).read()).inscriptions
  expect(slow.length).toBeGreaterThan(9_000)
  expect(await indexOf(sql)).toEqual(slow)
})

it('loads only the outputs that are spent', async () => {
  const [largest] = await sql<{ txid: string; vout: number; outputs: number }[]>`
    select txid, min(vout) as vout, count(*)::int as outputs from inscribed_sats
    where txid is not null and owner_script is not null group by txid order by outputs desc limit 1`
  expect(largest!.outputs).toBeGreaterThan(1000)
  expect(await listRoots(sql, coinKeysOf([largest!]))).toHaveLength(1)
})

it('loads the sats of all cut coins with one query', async () => {
  const coins = await sql<{ txid: string; vout: number; valueSats: number }[]>`
    select txid, vout, output_value_sats as value_sats from inscribed_sats
    where txid is not null and owner_script is not null and levels between 4 and 6 limit 10`
  expect(coins).toHaveLength(10)
  let queries = 0
  const counted = tagOf((command) => {
    queries++
    return sql.run(command)
  })
  const indexed = await IndexedCoins.load(counted, { spent: coinKeysOf(coins) })
  const transactions = coins.map((coin) => {
    const half = Math.floor(coin.valueSats / 2)
    const outputs = [anyone(1, half), anyone(2, coin.valueSats - half)]
    return blockTransactionOf(spend([{ ...coin, script: EMPTY, witness: [] }], outputs), [
      anyone(0, coin.valueSats),
    ])
  })
  const loaded = queries
  await indexed.openCut(transactions)
  expect(queries).toBe(loaded + 1)
  const coinbase = blockTransactionOf(spend([], [anyone(0, 1)]), [])
  const { trees, parents } = indexed
  const counters = { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 }
  const options = { subsidySats: 1, jubilant: true, counters, coins: indexed, trees, parents }
  const { moves } = await indexed.run(flowCoins([coinbase, ...transactions], options))
  expect(moves.length).toBeGreaterThan(coins.length)
  expect(queries).toBe(loaded + 1)
})

it('loads the sats of a coin that is cut into many outputs with one query', async () => {
  const [coin] = await sql<{ txid: string; vout: number; valueSats: number; low: number; high: number }[]>`
    select txid, vout, output_value_sats as value_sats, low_offset as low, high_offset as high from inscribed_sats
    where txid is not null and owner_script is not null and low_offset < high_offset order by levels desc limit 1`
  let queries = 0
  const counted = tagOf((command) => {
    queries++
    return sql.run(command)
  })
  const { low, high, valueSats } = coin!
  const step = Math.max(1, Math.floor((high - low) / 200))
  const outputs = [anyone(1, low + 1)]
  for (let at = low + 1; at <= high; at += step) outputs.push(anyone(2, step))
  const cut = spend([{ ...coin!, script: EMPTY, witness: [] }], outputs)
  const indexed = await IndexedCoins.load(counted, { spent: coinKeysOf([coin!]) })
  const loaded = queries
  const transaction = blockTransactionOf(cut, [anyone(0, valueSats)])
  await indexed.openCut([transaction])
  const coinbase = blockTransactionOf(spend([], [anyone(0, 1)]), [])
  const { trees, parents } = indexed
  const counters = { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0, lostSats: 0 }
  const options = { subsidySats: 1, jubilant: true, counters, coins: indexed, trees, parents }
  const { moves } = await indexed.run(flowCoins([coinbase, transaction], options))
  expect(moves.length).toBeGreaterThan(100)
  expect(queries).toBe(loaded + 1)
})

it('finds a coin of a transaction with many by one index entry', async () => {
  const [row] = await sql<{ definitions: string[] }[]>`
    select array_agg(indexdef order by indexname) as definitions from pg_indexes
    where indexname in ('inscribed_sats_place', 'watched_inscriptions_place')`
  expect(row!.definitions).toHaveLength(2)
  for (const definition of row!.definitions) expect(definition).toContain('(txid_key(txid), vout)')
})
