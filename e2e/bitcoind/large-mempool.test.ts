import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { hexOfTransaction, SEQUENCE_RBF, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { MempoolWatcher } from '@ordbook/indexer/mempool/mempool.ts'
import { findLastPoll } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { listingsInMempool } from '@ordbook/market/listings/recheck.ts'
import { expect, it } from 'vitest'
import { countCalls } from '../support/count-calls.ts'
import { keyHolder, listAll, serveAgain, setUpMarket } from '../support/market.ts'

const PER_PAYMENT = 2000
/** A script that anyone can spend, and its P2WSH output. */
const TRUE = Uint8Array.of(0x51)
const script = Uint8Array.of(0, 32, ...sha256(TRUE))

const market = setUpMarket()

async function send(transactions: readonly Tx[]): Promise<void> {
  const { origin, username, password } = new URL(market.node.url)
  const calls = transactions.map((tx, id) => ({
    id,
    method: 'sendrawtransaction',
    params: [hexOfTransaction(tx)],
  }))
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const response = await fetch(origin, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(calls),
  })
  expect((await response.json()) as object[]).not.toContainEqual(expect.objectContaining({ result: null }))
}

/** Fills the mempool with transactions that each spend one confirmed coin. Returns their txids. */
async function fill(count: number): Promise<string[]> {
  const coins: Outpoint[] = []
  while (coins.length < count) {
    const outputs = Array.from({ length: PER_PAYMENT }, () => ({ valueSats: 1000, script }))
    const txid = txidOf(await market.regtest.payNow(outputs))
    for (let vout = 1; vout <= PER_PAYMENT; vout++) coins.push({ txid, vout })
  }
  const transactions = coins.slice(0, count).map((coin) => ({
    version: 2,
    locktime: 0,
    inputs: [{ ...coin, scriptSig: new Uint8Array(), sequence: SEQUENCE_RBF, witness: [TRUE] }],
    outputs: [{ valueSats: 700, script }],
  }))
  for (let at = 0; at < count; at += 500) await send(transactions.slice(at, at + 500))
  return transactions.map(txidOf)
}

const totalOf = (counts: readonly Record<string, number>[], method: string) =>
  counts.reduce((sum, each) => sum + (each[method] ?? 0), 0)

it('reads the spends of listed coins first, and the rest in batches', async () => {
  const { trader: seller, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await market.mine()
  const listed = await listAll(market, seller, slug, ids, 50_000)
  const coin = await market.coinOf(ids[0]!)
  await market.server.close()

  const count = 3000
  await fill(count)
  const move = buildPayment([coin], [{ valueSats: coin.valueSats - 1000, script: coin.script }], {
    privateKey: keys.ordinals,
    feeRateSatVb: 2,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(move))
  // A watcher with no time stops after each batch. It has requested the next batch already, and the next look reads that batch again.
  const node = new CoreSource(market.node.url)
  const watcher = new MempoolWatcher(market.sql, node, [listingsInMempool], { lookMilliseconds: 0 })
  const stateOf = async (id: string) => {
    const [row] = await market.sql`select state from listings where listing_id = ${listed.get(id)!}`
    return row!.state
  }
  const looks = [await countCalls(() => watcher.look())]
  expect(looks).toEqual([{ getrawmempool: 1, gettxspendingprevout: 1, getrawtransaction: 2 }])
  expect(watcher.isUnfinished).toBe(true)
  expect(await findLastPoll(market.sql)).toMatchObject({ unread: count + 1 - 500 })
  expect([await stateOf(ids[0]!), await stateOf(ids[1]!)]).toEqual(['hidden_locked', 'buyable'])

  while (watcher.isUnfinished) looks.push(await countCalls(() => watcher.look()))
  expect(looks.length).toBe(Math.ceil((count + 1) / 500))
  expect(totalOf(looks, 'getrawtransaction')).toBe(2 * looks.length - 1)
  expect(totalOf(looks, 'gettxspendingprevout')).toBeLessThanOrEqual(looks.length)
  const [row] = await market.sql<{ count: number }[]>`select count(*)::int as count from mempool_spends`
  expect(row!.count).toBe(count + 1)
  expect(await findLastPoll(market.sql)).toMatchObject({ transactionCount: count + 1, unread: null })

  await market.sql.end()
  await serveAgain(market, market.databaseUrl)
  await market.mine()
  expect(await market.sql`select 1 from mempool_spends`).toEqual([])
})
