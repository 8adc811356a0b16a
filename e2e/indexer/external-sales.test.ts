import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer } from '@ordbook/app/server.ts'
import { taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { type KeyedCoin, spendTogether } from '@ordbook/devnet/sale.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { acceptOffer, buy, offer } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  agreementFor,
  freshDatabase,
  keyHolder,
  listAll,
  setUpMarket,
  testConfig,
} from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'

const market = setUpMarket()
/** A second market on the same chain. */
let stranger: Server
let strangers: Sql
const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-stranger-'))
beforeAll(async () => {
  const databaseUrl = await freshDatabase()
  const config = testConfig({ DATA_DIR: dataDir })
  stranger = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: market.node.url })
  strangers = connect(databaseUrl, { max: 1 })
})
afterAll(async () => {
  await strangers?.end()
  await stranger?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

interface Sold {
  txid: string
  inscriptionId: string
  priceSats: number
  rule: string
  confidence: string
  sellerScript: Uint8Array
  buyerScript: Uint8Array
  saleType: string
}
const salesOf = async (sql: Sql, ids: readonly string[]): Promise<Sold[]> => [
  ...(await sql<Sold[]>`
    select txid, inscription_id, price_sats, rule, confidence, seller_script, buyer_script, sale_type from sales
    where inscription_id = any(${ids as string[]}::text[]) order by sale_id`),
]

it('detects sales of another market', async () => {
  const seller = await market.trader()
  const buyer = await market.trader('p2tr')
  const { slug, ids } = await market.collection(seller.wallet, 4)
  await market.anchors(12)
  await listAll(market, seller, slug, ids.slice(0, 3), 80_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(1, 3)))
  await market.mine()
  await stranger.sync()
  const internalSales = await salesOf(market.sql, ids)
  const externalSales = await salesOf(strangers, ids)
  expect(internalSales.map((sale) => sale.saleType)).toEqual(['internal', 'internal', 'internal'])
  expect(externalSales).toEqual(
    internalSales.map((sale) => ({
      ...sale,
      saleType: 'external',
      rule: 'signature',
      confidence: 'high',
      priceSats: sale.priceSats - 800,
    })),
  )
  // Only this market knows that the paid address is the seller's.
  const { items } = await offer(buyer, slug, await offering(market, buyer, [ids[3]!], 60_000))
  await acceptOffer(seller, items[0]!.offerId, await selling(market, ids[3]!, 60_000))
  await market.mine()
  await stranger.sync()
  expect(await salesOf(market.sql, [ids[3]!])).toMatchObject([{ saleType: 'internal', priceSats: 60_000 }])
  expect(await salesOf(strangers, [ids[3]!])).toEqual([])
})

it('detects padded, swept and manual sales', async () => {
  const key = () => new Uint8Array(randomBytes(32))
  const [seller, second, buyer] = [key(), key(), key()]
  const [own, other, to] = [seller, second, buyer].map(taprootScriptOf) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const inscribe = async (owner: Uint8Array, postageSats = 10_000) => {
    const [id] = await market.regtest.inscribe([
      {
        inscription: { contentType: 'text/plain', body: new Uint8Array(randomBytes(8)) },
        owner,
        postageSats,
      },
    ])
    const coin: Coin = { txid: id!.slice(0, 64), vout: 0, valueSats: postageSats, script: owner }
    return { id: id!, coin }
  }
  const [a, b, c, d, e] = [
    await inscribe(own),
    await inscribe(own),
    await inscribe(other, 546),
    await inscribe(own),
    await inscribe(own),
  ]
  const pads = [await market.regtest.fund(to, 600), await market.regtest.fund(to, 600)]
  const coins: Coin[] = []
  for (let n = 0; n < 5; n++) coins.push(await market.regtest.fund(to, 500_000))
  const pay = (n: number): KeyedCoin => ({ coin: coins[n]!, key: buyer })
  const change = (inputs: KeyedCoin[], outputs: TxOutput[]): TxOutput => ({
    valueSats:
      sumSats(inputs.map(({ coin }) => coin.valueSats)) -
      sumSats(outputs.map((output) => output.valueSats)) -
      2000,
    script: to,
  })
  const build = (inputs: KeyedCoin[], outputs: TxOutput[]) =>
    spendTogether(inputs, [...outputs, change(inputs, outputs)])
  const padded = build(
    [...pads.map((coin) => ({ coin, key: buyer })), { coin: a.coin, key: seller, alone: true }, pay(0)],
    [
      { valueSats: 1200, script: to },
      { valueSats: 10_000, script: to },
      { valueSats: 110_000, script: own },
    ],
  )
  // Both inscriptions land in the first output.
  const swept = build(
    [pay(1), { coin: b.coin, key: seller, alone: true }, { coin: c.coin, key: second, alone: true }, pay(2)],
    [
      { valueSats: 510_546, script: to },
      { valueSats: 60_000, script: own },
      { valueSats: 150_546, script: other },
    ],
  )
  const byHand = build(
    [{ coin: d.coin, key: seller }, pay(3)],
    [
      { valueSats: 10_000, script: to },
      { valueSats: 90_000, script: own },
    ],
  )
  const gift = build([{ coin: e.coin, key: seller }, pay(4)], [{ valueSats: 10_000, script: to }])
  for (const tx of [padded, swept, byHand, gift])
    await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
  await market.mine()
  const ids = [a, b, c, d, e].map((each) => each.id)
  const readSales = async () =>
    (await salesOf(market.sql, ids)).toSorted((x, y) => (x.inscriptionId < y.inscriptionId ? -1 : 1))
  const sale = (
    inscriptionId: string,
    tx: Tx,
    sellerScript: Uint8Array,
    priceSats: number,
    byHand = false,
  ): Sold => ({
    saleType: 'external',
    txid: txidOf(tx),
    inscriptionId,
    priceSats,
    sellerScript,
    buyerScript: to,
    rule: byHand ? 'gain' : 'signature',
    confidence: byHand ? 'medium' : 'high',
  })
  const expected = [
    sale(a.id, padded, own, 100_000),
    sale(b.id, swept, own, 50_000),
    sale(c.id, swept, other, 150_000),
    sale(d.id, byHand, own, 80_000, true),
  ].toSorted((x, y) => (x.inscriptionId < y.inscriptionId ? -1 : 1))
  expect(await readSales()).toEqual(expected)
  const reader = await market.trader()
  const { sales } = await reader.client.call('listSales', { query: { limit: 4 } })
  expect(new Set(sales.map((sale) => `${sale.saleType} ${sale.inscriptionId}`))).toEqual(
    new Set(expected.map((each) => `external ${each.inscriptionId}`)),
  )
  const block = await market.regtest.call<string>('getblockhash', sales[0]!.blockHeight)
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  expect(await readSales()).toEqual([])
  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
  expect(await readSales()).toEqual(expected)
})

it('indexes a sale to a script that is longer than an index entry', async () => {
  const [seller, buyer] = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))]
  const [own, payment] = [seller, buyer].map(taprootScriptOf) as [Uint8Array, Uint8Array]
  const [id] = await market.regtest.inscribe([
    { inscription: { contentType: 'text/plain', body: new Uint8Array(1) }, owner: own, postageSats: 10_000 },
  ])
  const coin: Coin = { txid: id!.slice(0, 64), vout: 0, valueSats: 10_000, script: own }
  const paid = await market.regtest.fund(payment, 500_000)
  // OP_RETURN with data that does not compress.
  const script = Uint8Array.of(0x6a, 0x4d, 0xa0, 0x0f, ...randomBytes(4000))
  const burn = spendTogether(
    [
      { coin, key: seller },
      { coin: paid, key: buyer },
    ],
    [
      { valueSats: 10_000, script },
      { valueSats: 490_000, script: own },
    ],
  )
  await market.regtest.mineExactly([burn])
  expect(await market.server.sync()).toBe(await market.regtest.call('getblockcount'))
  expect(await salesOf(market.sql, [id!])).toEqual([])
})

it('counts volume only if another party pays', async () => {
  const { trader, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(trader.wallet, 2)
  const ownerScript = trader.wallet.ordinalsScript
  const volume = async () => {
    const answer = await fetch(`${market.server.url}/web/v1/collections?q=${slug}`)
    const { collections } = (await answer.json()) as { collections: { volumeWeekSats: number }[] }
    return collections[0]!.volumeWeekSats
  }
  const counted = async (id: string) => {
    const rows = await market.sql<{ priceSats: number; rule: string; counted: boolean }[]>`
      select price_sats, rule, counted from sales where inscription_id = ${id}`
    return [...rows]
  }
  // A move to a cold wallet that also consolidates coins looks like a sale. It must not count as volume.
  const payment = taprootScriptOf(keys.payment)
  const coin = await market.regtest.fund(payment, 500_000)
  const cold = taprootScriptOf(new Uint8Array(randomBytes(32)))
  const transfer = spendTogether(
    [
      { coin: await market.coinOf(ids[0]!), key: keys.ordinals },
      { coin, key: keys.payment },
    ],
    [
      { valueSats: 10_000, script: cold },
      { valueSats: 498_000, script: ownerScript },
    ],
  )
  await market.regtest.call('sendrawtransaction', hexOfTransaction(transfer))
  await market.mine()
  expect(await counted(ids[0]!)).toEqual([{ priceSats: 488_000, rule: 'gain', counted: false }])
  expect(await volume()).toBe(0)
  const buyer = new Uint8Array(randomBytes(32))
  const to = taprootScriptOf(buyer)
  const money = await market.regtest.fund(to, 500_000)
  const bought = spendTogether(
    [
      { coin: await market.coinOf(ids[1]!), key: keys.ordinals },
      { coin: money, key: buyer },
    ],
    [
      { valueSats: 10_000, script: to },
      { valueSats: 110_000, script: ownerScript },
      { valueSats: 388_000, script: to },
    ],
  )
  await market.regtest.call('sendrawtransaction', hexOfTransaction(bought))
  await market.mine()
  expect(await counted(ids[1]!)).toEqual([{ priceSats: 100_000, rule: 'gain', counted: true }])
  expect(await volume()).toBe(100_000)
})

it('assigns an earlier sale to an imported collection', async () => {
  const [seller, buyer] = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))]
  const [own, to] = [taprootScriptOf(seller), taprootScriptOf(buyer)]
  const content = { contentType: 'text/plain', body: new Uint8Array(randomBytes(8)) }
  const [id] = await market.regtest.inscribe([{ inscription: content, owner: own, postageSats: 10_000 }])
  const coin: Coin = { txid: id!.slice(0, 64), vout: 0, valueSats: 10_000, script: own }
  const money = await market.regtest.fund(to, 200_000)
  const sale = spendTogether(
    [
      { coin, key: seller },
      { coin: money, key: buyer },
    ],
    [
      { valueSats: 10_000, script: to },
      { valueSats: 150_000, script: own },
    ],
  )
  await market.regtest.mineExactly([sale])
  await market.server.sync()
  const reader = await market.trader()
  const shown = async () => {
    const { sales } = await reader.client.call('listSales', { query: { limit: 10 } })
    const found = sales.find((sale) => sale.inscriptionId === id)!
    return { name: found.inscriptionName, slug: found.collection.slug }
  }
  expect(await shown()).toMatchObject({ slug: null })
  const folder = join(mkdtempSync(join(tmpdir(), 'ordbook-late-')), 'collections')
  mkdirSync(join(folder, 'late'), { recursive: true })
  writeFileSync(join(folder, 'late', 'meta.json'), JSON.stringify({ name: 'Late', slug: 'late' }))
  writeFileSync(
    join(folder, 'late', 'inscriptions.json'),
    JSON.stringify([{ id, meta: { name: 'Late #1', attributes: [] } }]),
  )
  await loadCollections(market.sql, folder, { now: new Date() })
  expect(await shown()).toEqual({ slug: 'late', name: 'Late #1' })
})
