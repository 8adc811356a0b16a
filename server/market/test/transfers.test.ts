import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import {
  acceptCounter,
  acceptOffer,
  bid,
  buy,
  counter,
  delist,
  fill,
  type LocalWallet,
  offer,
} from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { ANYONE, type Leaf, leafOf, spend } from '../../../e2e/purchases/support/anyone.ts'
import { agreementFor, listAll, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { coinsOf, countered, offering, selling } from '../../../e2e/support/offers.ts'
import { visit } from '../../../e2e/support/storefront.ts'

/** Inscription events and transfers without a trade in the activity feed. */
const market = setUpMarket()
const seller = setUpTrader(market)
const buyer = setUpTrader(market)

interface Row {
  kind: string
  inscriptionId: string
  fromAddress: string | null
  toAddress: string | null
  priceSats: number | null
  txid: string
}
const read = async (query: string) => {
  const { status, body } = await visit(market.server.url, `/web/v1/activity?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as { activity: Row[]; pagination: { hasNext: boolean; nextCursor: string } }
}
const rowsOf = async (query: string) => (await read(query)).activity
const anyone = { ordinalsScript: ANYONE.script } as LocalWallet
const ANYONE_ADDRESS = addressOfScript(ANYONE.script, 'regtest')
const differences = () => checkRollups({ ...market.server.context, sql: market.sql })

const OP_NOP = 0x61
const OTHER = leafOf(Uint8Array.of(OP_NOP))

/** Sends an item of `ANYONE` via anyone-can-spend coins to a script, in one block. Returns the txid of the last transaction. */
async function send(id: string, via: readonly Leaf[], to: Uint8Array): Promise<string> {
  let { txid, vout, valueSats } = await market.coinOf(id)
  const txs = [...via, null].map((next, n) => {
    valueSats -= 300
    const tx = spend(
      [{ txid, vout, leaf: via[n - 1] ?? ANYONE }],
      [{ valueSats, script: next?.script ?? to }],
    )
    txid = txidOf(tx)
    vout = 0
    return tx
  })
  await market.regtest.mineExactly(txs)
  await market.server.sync()
  return txid
}

it('returns one transfer per item and block', async () => {
  const { slug, ids } = await market.collection(anyone, 3)
  const inscribed = await rowsOf(`slug=${slug}&kind=transfers`)
  expect(inscribed.map((row) => row.kind)).toEqual(['inscribed', 'inscribed', 'inscribed'])
  expect(inscribed[0]).toMatchObject({ fromAddress: null, toAddress: null, priceSats: null })
  const [id] = ids as [string]
  // Several moves in one block are one transfer, from the first holder to the last.
  const txid = await send(id, [ANYONE, OTHER, ANYONE], buyer.wallet.ordinalsScript)
  const to = buyer.wallet.ordinalsAddress
  const expected = { kind: 'transfer', inscriptionId: id, fromAddress: ANYONE_ADDRESS, toAddress: to, txid }
  for (const query of [
    'kind=transfers',
    `slug=${slug}`,
    `slug=${slug}&kind=transfers`,
    `inscriptionId=${id}`,
    `address=${to}`,
    `address=${to}&kind=transfers`,
    `address=${ANYONE_ADDRESS}&kind=transfers`,
    `address=${ANYONE_ADDRESS}&slug=${slug}&inscriptionId=${id}`,
  ])
    expect((await rowsOf(query))[0], query).toMatchObject(expected)
  expect((await rowsOf(`inscriptionId=${id}`)).map((row) => row.kind)).toEqual(['transfer', 'inscribed'])
  expect(await rowsOf(`address=${addressOfScript(OTHER.script, 'regtest')}&kind=transfers`)).toEqual([])
  // A return to the same holder is not a transfer.
  await send(ids[1]!, [OTHER], ANYONE.script)
  expect((await rowsOf(`inscriptionId=${ids[1]}`)).map((row) => row.kind)).toEqual(['inscribed'])
  expect(await differences()).toEqual([])

  const height = (await market.regtest.call<number>('getblockcount')) - 1
  const hash = await market.regtest.call<string>('getblockhash', height)
  await market.regtest.call('invalidateblock', hash)
  await market.server.sync()
  expect((await rowsOf(`slug=${slug}`)).map((row) => row.kind)).toEqual([
    'inscribed',
    'inscribed',
    'inscribed',
  ])
  await market.regtest.call('reconsiderblock', hash)
  await market.server.sync()
  expect((await rowsOf(`slug=${slug}`))[0]).toMatchObject(expected)
  expect(await differences()).toEqual([])
})

it('omits trades and escrow moves from transfers', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 6)
  const [bought, offered, filled, taken, wanted, kept] = ids as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const listings = await listAll(market, seller, slug, [bought, taken, kept], 50_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [bought]))
  await market.mine()
  const accepted = await offer(buyer, slug, await offering(market, buyer, [offered], 60_000))
  await acceptOffer(seller, accepted.items[0]!.offerId, await selling(market, offered, 60_000))
  await market.mine()
  const pending = await offer(buyer, slug, await offering(market, buyer, [wanted], 40_000))
  const parent = pending.items[0]!.offerId
  const sale = await selling(market, wanted, 70_000)
  const { offerId } = await counter(seller, parent, sale)
  await acceptCounter(buyer, offerId, await countered(market, buyer, wanted, 70_000))
  await market.mine()
  const { offers } = await bid(buyer, slug, {
    target: { kind: 'all' },
    priceSats: 30_000,
    coins: await coinsOf(market, buyer),
  })
  await fill(seller, slug, offers[0]!.offerId, await selling(market, filled, 30_000, 300))
  await market.mine()
  // Moves the inscription into escrow and back to its seller.
  await delist(seller, slug, [{ inscriptionId: taken, listingId: listings.get(taken)! }])
  await market.mine(3)
  for (const id of [bought, offered, filled, wanted, kept, taken])
    expect(
      (await rowsOf(`inscriptionId=${id}&kind=transfers`)).map((row) => row.kind),
      id,
    ).toEqual(['inscribed'])
  const sold = await rowsOf(`slug=${slug}&kind=sales`)
  expect(sold.map((row) => row.inscriptionId).toSorted()).toEqual(
    [bought, offered, filled, wanted].toSorted(),
  )
  expect(await differences()).toEqual([])
})

it('records at most 100 transfers per coin', async () => {
  const count = 102
  const { slug, ids } = await market.collection(anyone, count, 400)
  const coins = []
  for (const id of ids) coins.push(await market.coinOf(id))
  // The last coin pays the fees, so that no inscribed sat is spent as a fee.
  coins.push(await market.regtest.fund(ANYONE.script, 60_000))
  const valueSats = count * 400 + 30_000
  const together = spend(coins, [{ valueSats, script: ANYONE.script }])
  await market.regtest.mineExactly([together])
  const coin = { txid: txidOf(together), vout: 0 }
  await market.regtest.mineExactly([
    spend([coin], [{ valueSats: count * 400, script: buyer.wallet.ordinalsScript }]),
  ])
  await market.server.sync()
  const [row] = await market.sql<{ rows: number }[]>`
    select count(*)::int as rows from item_transfers t join collection_items using (inscription_id)
      join collections c using (collection_id) where c.slug = ${slug} and from_script is not null`
  expect(row!.rows).toBe(100)
})

it('paginates transfers without gaps', async () => {
  const { slug, ids } = await market.collection(anyone, 5)
  for (const id of ids.slice(0, 3)) await send(id, [], buyer.wallet.ordinalsScript)
  const all = await rowsOf(`slug=${slug}&kind=transfers&limit=50`)
  expect(all).toHaveLength(8)
  const seen: Row[] = []
  for (let cursor = ''; ; ) {
    const { activity, pagination } = await read(`slug=${slug}&kind=transfers&limit=1${cursor}`)
    seen.push(...activity)
    if (!pagination.hasNext) break
    cursor = `&cursor=${pagination.nextCursor}`
  }
  expect(seen).toEqual(all)
  const planOf = (text: string) =>
    market.sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`
      await tx`set local enable_bitmapscan = off`
      return JSON.stringify(await tx.unsafe(`explain ${text}`))
    })
  const after = `(at, transfer_key(transfer_id)) < (now(), 'm') order by at desc, transfer_key(transfer_id) desc limit 50`
  const tables = {
    item_transfers_recent: `from item_transfers where ${after}`,
    item_transfers_inscription: `from item_transfers where inscription_id = 'a' and ${after}`,
    item_transfers_from: `from item_transfers where sha256(from_script) = sha256('a') and from_script is not null and ${after}`,
    item_transfers_to: `from item_transfers where sha256(to_script) = sha256('a') and to_script is not null and ${after}`,
    collection_transfers_recent: `from collection_transfers where collection_id = md5('a')::uuid and ${after}`,
  }
  for (const [index, from] of Object.entries(tables)) {
    const plan = await planOf(`select transfer_id ${from}`)
    expect(plan).toContain(index)
    expect(plan, index).not.toContain('Sort')
  }
})

it('filters transfers by minSats', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids.slice(0, 1), 900_000)
  await listAll(market, seller, slug, ids.slice(1), 20_000)
  await offer(buyer, slug, await offering(market, buyer, ids.slice(1, 2), 15_000))
  const pricesOf = async (query: string) =>
    (await rowsOf(`slug=${slug}&${query}`)).map((row) => row.priceSats).toSorted()
  expect(await pricesOf('minSats=20001')).toEqual([900_000])
  expect(await pricesOf('minSats=20000')).toEqual([20_000, 20_000, 900_000])
  expect(await pricesOf('minSats=10000&kind=offers')).toEqual([15_000])
  expect(await pricesOf('minSats=1&kind=transfers')).toEqual([])
  for (const bad of ['0', '-1', '1.5', 'x', '2100000000000001'])
    expect((await visit(market.server.url, `/web/v1/activity?minSats=${bad}`)).status, bad).toBe(400)
  // With 12,000 cheaper sales the first page ends early, and a later page must find the row.
  await market.sql.begin(async (tx) => {
    // Disable the triggers, which are slow for this many rows.
    await tx`alter table sales disable trigger user`
    await tx`
      insert into sales (sale_type, inscription_id, price_sats, sold_at, height)
      select 'internal', ${ids[2]!}, 1000, now() + n * interval '1 second', 2000000 from generate_series(1, 12000) n`
    await tx`alter table sales enable trigger user`
  })
  const seen: Row[] = []
  let pages = 0
  for (let cursor = ''; ; pages++) {
    const { activity, pagination } = await read(`slug=${slug}&minSats=800000${cursor}`)
    seen.push(...activity)
    if (!pagination.hasNext) break
    cursor = `&cursor=${pagination.nextCursor}`
  }
  expect(pages).toBe(2)
  expect(seen.map((row) => row.priceSats)).toEqual([900_000])
  const other = await market.collection(seller.wallet, 1)
  const watched = await read(`slugs=${other.slug},${slug}&minSats=800000`)
  expect(watched).toMatchObject({ activity: [], pagination: { hasNext: true } })
  expect((await rowsOf(`slugs=${other.slug},unknown&kind=transfers`)).map((row) => row.kind)).toEqual([
    'inscribed',
  ])
  for (const bad of ['slugs=', 'slugs=a,,b', 'slugs=A'])
    expect((await visit(market.server.url, `/web/v1/activity?${bad}`)).status, bad).toBe(400)
})
