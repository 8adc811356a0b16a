import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer } from '@ordbook/app/server.ts'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { buildInscribe, buildPayment, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { bytesOfInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { Adopter } from '@ordbook/indexer/adoption/adopt.ts'
import { beginAtOrd } from '@ordbook/indexer/adoption/begin.ts'
import { unspentOf } from '@ordbook/indexer/coins/coins.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { addChainCollection } from '@ordbook/market/collections/from-chain.ts'
import { updateSortKeys } from '@ordbook/market/collections/import-queries.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { acceptOffer, buy, offer } from '@ordbook/sdk/index.ts'
import { encode } from 'cborg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  agreementFor,
  enter,
  freshDatabase,
  keyHolder,
  listAll,
  setUpMarket,
  type TestMarket,
  testConfig,
} from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'
import { type OrdServer, startOrd } from './support/ord-server.ts'

const market = setUpMarket({ ANCHOR_POOL: '20' })
let ord: OrdServer
let late: { server: Server; sql: Sql; market: TestMarket; base: number }
let dataDir: string
beforeAll(async () => {
  ord = await startOrd(market)
  dataDir = mkdtempSync(join(tmpdir(), 'ordbook-late-'))
})
afterAll(async () => {
  await late?.sql.end()
  await late?.server.close()
  await ord?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const rows = (sql: Sql, ids: readonly string[]) => sql`
  select inscription_id, inscription_number, height, cursed, vindicated, unbound, reinscription, parent_ids, content_type,
    sat, txid, vout, sat_offset, output_value_sats, owner_script
  from inscriptions where inscription_id = any(${ids as string[]}::text[]) order by inscription_id`
const text = (body: string) => ({ contentType: 'text/plain', body: new TextEncoder().encode(body) })
const KEY = new Uint8Array(32).fill(6)

async function begin(): Promise<typeof late> {
  await market.server.sync()
  await ord.sync()
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 2 })
  await migrate(sql)
  const base = await beginAtOrd(sql, new CoreSource(market.node.url), new Ord(ord.url))
  expect(base).toBe(await market.regtest.call('getblockcount'))
  const config = testConfig({ DATA_DIR: dataDir, ORD_URL: ord.url, ANCHOR_POOL: '20' })
  const server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: market.node.url })
  const lateMarket: TestMarket = { ...market, server, sql, databaseUrl, base: `${server.url}/api/v1` }
  return { server, sql, market: lateMarket, base }
}

it('matches a full index after beginning at the tip', async () => {
  const { trader, keys } = await keyHolder(market)
  const { wallet } = trader
  const { slug, ids } = await market.collection(wallet, 4)
  const fee = await market.regtest.fund(wallet.ordinalsScript, 20_000)
  const coin = await market.coinOf(ids[1]!)
  const move = buildPayment([coin, fee], [{ valueSats: 9000, script: wallet.ordinalsScript }], {
    privateKey: keys.ordinals,
    feeRateSatVb: 2,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(move))
  const script = taprootScriptOf(KEY)
  const [parentId, galleryId, payingId] = await market.regtest.inscribe([
    { inscription: text('parent'), owner: script, postageSats: 10_000 },
    {
      inscription: {
        ...text('gallery'),
        properties: encode(
          new Map([
            [
              0,
              [
                new Map<number, unknown>([
                  [0, bytesOfInscriptionId(ids[0]!)],
                  [
                    1,
                    new Map<number, unknown>([
                      [0, 'First'],
                      [
                        1,
                        new Map<string, unknown>([
                          ['Room', 3],
                          ['Wet', true],
                        ]),
                      ],
                    ]),
                  ],
                ]),
                new Map([[0, bytesOfInscriptionId(ids[2]!)]]),
              ],
            ],
          ]),
        ),
      },
      owner: script,
      postageSats: 10_000,
    },
    { inscription: text('in a payment coin'), owner: wallet.paymentScript, postageSats: 700_000 },
  ])
  const parent = { txid: parentId!.slice(0, 64), vout: 0, valueSats: 10_000, script }
  const commitCoin = await market.regtest.fund(script, 50_000)
  const { commit, reveal } = buildInscribe(commitCoin, [{ ...text('child'), parents: [parentId!] }], {
    privateKey: KEY,
    feeRateSatVb: 2,
    extraInputs: [parent],
    outputs: [
      { valueSats: 10_000, script },
      { valueSats: 10_000, script },
    ],
  })
  await market.regtest.mineExactly([commit, reveal])
  const childId = `${txidOf(reveal)}i0`

  late = await begin()
  const folder = join(dataDir, slug)
  cpSync(join(market.dataDir, slug), folder, { recursive: true })
  await loadCollections(late.sql, folder, { now: new Date() })
  await late.server.sync()
  const all = [...ids, parentId!, galleryId!, childId]
  const adopter = new Adopter(
    late.sql,
    new CoreSource(market.node.url),
    new Ord(ord.url),
    late.base,
    updateSortKeys,
  )
  expect(await adopter.adopt([parentId!, galleryId!, childId, `${'ee'.repeat(32)}i0`])).toEqual(
    new Set([parentId, galleryId, childId]),
  )
  expect([...(await rows(late.sql, all))]).toEqual([...(await rows(market.sql, all))])
  const shown = async (of: TestMarket, as: string) =>
    (
      await (await enter(of.base, wallet)).client.call('listCollectionInscriptions', { params: { slug: as } })
    ).items.map(({ image, ...item }) => item)
  expect(await shown(late.market, slug)).toEqual(await shown(market, slug))
  const at = { now: new Date() }
  for (const sql of [market.sql, late.sql]) {
    await addChainCollection(sql, {
      kind: 'parent_child',
      sourceId: parentId!,
      slug: 'kin',
      name: 'Kin',
      ...at,
    })
    await addChainCollection(sql, {
      kind: 'gallery',
      sourceId: galleryId!,
      slug: 'shown',
      name: 'Shown',
      ...at,
    })
  }
  for (const each of ['kin', 'shown'])
    expect(await shown(late.market, each)).toEqual(await shown(market, each))
  const content = await fetch(`${late.server.url}/content/${ids[0]}`)
  expect(await content.text()).toBe(`${slug} 0`)
  expect(content.headers.get('content-security-policy')).toMatch(/^sandbox/)

  await market.anchors(8)
  await market.regtest.pay([{ valueSats: 100_000_000, script: late.server.context.market.coinScript }])
  await market.mine()
  await ord.sync()
  const seller = await enter(late.market.base, wallet)
  await late.server.sync()
  for (let waited = 0; waited < 100; waited++) {
    const [row] = await late.sql<{ count: number }[]>`
      select count(*) as count from market_coins where spent_height is null and value_sats = 330`
    if (row!.count >= 4) break
    await market.mine()
    await ord.sync()
    await late.server.sync()
  }
  await ord.sync()
  await listAll(late.market, seller, slug, [ids[0]!], 60_000)
  const buyerKeys = await keyHolder(market)
  await ord.sync()
  await late.server.sync()
  const buyer = await enter(late.market.base, buyerKeys.trader.wallet)
  await buy(buyer, slug, await agreementFor(late.market, buyer, [ids[0]!]))
  const [fresh] = await market.regtest.inscribe([
    { inscription: text('fresh'), owner: script, postageSats: 10_000 },
  ])
  await market.mine()
  await ord.sync()
  await late.server.sync()
  const later = [...all, fresh!]
  const brief = async (sql: Sql) =>
    [...(await rows(sql, later))].map(({ sat, ...row }) =>
      row.inscriptionId === fresh ? row : { ...row, sat },
    )
  expect(await brief(late.sql)).toEqual(await brief(market.sql))
  expect(await late.market.coinOf(ids[0]!)).toMatchObject({ script: buyer.wallet.ordinalsScript })

  // Payment coins must be plain, but the inscription's coin may contain other inscriptions.
  const offered = await offer(buyer, slug, await offering(late.market, buyer, [ids[2]!], 60_000))
  await acceptOffer(seller, offered.items[0]!.offerId, await selling(late.market, ids[2]!, 60_000))
  await market.mine()
  await ord.sync()
  await late.server.sync()
  expect(await late.market.coinOf(ids[2]!)).toMatchObject({ script: buyer.wallet.ordinalsScript })

  // ord has the contents of coins that this index has not seen.
  const payingCoin = await market.coinOf(payingId!)
  const utxo = await fetch(`${late.server.url}/r/utxo/${payingCoin.txid}:${payingCoin.vout}`)
  expect(await utxo.json()).toMatchObject({ inscriptions: [payingId], value: 700_000 })

  // ord lists an address's coins, so the node need not scan the UTXO set.
  const { node } = late.server.context
  const scan = node.unspentOf
  node.unspentOf = () => Promise.reject(new Error('scanned'))
  const signedIn = await enter(late.market.base, wallet)
  expect(signedIn.walletBindingId).toBe(seller.walletBindingId)
  const scanned = await market.server.context.node.unspentOf(wallet.paymentScript)
  const { coins: unspentCoins } = await unspentOf(late.server.context, wallet.paymentScript)
  const sorted = (coins: { txid: string }[]) => coins.toSorted((a, b) => (a.txid < b.txid ? -1 : 1))
  expect(sorted(unspentCoins)).toEqual(sorted(scanned))
  expect(unspentCoins.length).toBeGreaterThan(0)
  node.unspentOf = scan

  // This payment coin has an inscription that only ord has indexed.
  expect(await rows(late.sql, [payingId!])).toHaveLength(0)
  await listAll(late.market, buyer, slug, [ids[0]!], 50_000)
  const agreement = await agreementFor(late.market, seller, [ids[0]!])
  const inscribed = agreement.coins.filter((coin) => coin.valueSats === 700_000)
  expect(inscribed).toHaveLength(1)
  await expect(buy(seller, slug, { ...agreement, coins: inscribed })).rejects.toMatchObject({ status: 400 })
  expect(await checkRollups(late.server.context)).toEqual([])
}, 300_000)

it('adopts parents, sats and earlier inscriptions from ord', async () => {
  const owner = taprootScriptOf(KEY)
  const reveal = async (inscription: NewInscription, held: Coin) => {
    const coin = await market.regtest.fund(owner, 50_000)
    const inscribed = buildInscribe(coin, [inscription], {
      privateKey: KEY,
      feeRateSatVb: 2,
      extraInputs: [held],
      outputs: [
        { valueSats: 10_000, script: owner },
        { valueSats: held.valueSats, script: owner },
      ],
    })
    await market.regtest.mineExactly([inscribed.commit, inscribed.reveal])
    const txid = txidOf(inscribed.reveal)
    return { id: `${txid}i0`, rest: { ...held, txid, vout: 1 } }
  }
  const holding = (id: string): Coin => ({ txid: id.slice(0, 64), vout: 0, valueSats: 10_000, script: owner })
  const [parentId, strangerId] = await market.regtest.inscribe([
    { inscription: text('a parent of before'), owner, postageSats: 10_000 },
    { inscription: text('no parent'), owner, postageSats: 10_000 },
  ])
  await market.mine()
  await ord.sync()
  await late.sql.end()
  await late.server.close()
  late = await begin()
  const one = await reveal({ ...text('child'), parents: [parentId!, strangerId!] }, holding(parentId!))
  const two = await reveal({ ...text('second child'), parents: [parentId!] }, one.rest)
  // Reinscribe the sat of an inscription that is not in this index.
  const reinscribed = buildInscribe(holding(strangerId!), [text('again')], {
    privateKey: KEY,
    feeRateSatVb: 2,
    outputs: [{ valueSats: 5000, script: owner }],
  })
  await market.regtest.mineExactly([reinscribed.commit, reinscribed.reveal])
  await market.server.sync()
  await ord.sync()
  await late.server.sync()
  const ids = [one.id, two.id, `${txidOf(reinscribed.reveal)}i0`]
  const truth = [...(await rows(market.sql, ids))]
  expect(truth.map((row) => row.parentIds)).toContainEqual([parentId])
  expect(truth.map((row) => row.reinscription)).toContain(true)
  expect([...(await rows(late.sql, ids))]).toEqual(truth)
  expect(await late.sql`select 1 from incomplete_inscriptions`).toHaveLength(0)
  const fetchJson = async (server: Server, path: string) => (await fetch(`${server.url}${path}`)).json()
  for (const path of [`/r/parents/${one.id}`, `/r/inscription/${two.id}`])
    expect(await fetchJson(late.server, path)).toEqual(await fetchJson(market.server, path))
  // Adopt the parent last. The collection includes its earlier and later children.
  const adopter = new Adopter(
    late.sql,
    new CoreSource(market.node.url),
    new Ord(ord.url),
    late.base,
    updateSortKeys,
  )
  expect(await adopter.adopt([parentId!])).toEqual(new Set([parentId]))
  const collection = {
    kind: 'parent_child',
    sourceId: parentId!,
    slug: 'late',
    name: 'Late',
    now: new Date(),
  } as const
  expect(await addChainCollection(late.sql, collection)).toBe(2)
  expect(await fetchJson(late.server, `/r/children/${parentId}`)).toMatchObject({ ids: [one.id, two.id] })
  const three = await reveal({ ...text('third child'), parents: [parentId!] }, two.rest)
  await ord.sync()
  await late.server.sync()
  expect(await fetchJson(late.server, `/r/children/${parentId}`)).toMatchObject({
    ids: [one.id, two.id, three.id],
  })
  await market.regtest.call('invalidateblock', await market.regtest.call<string>('getbestblockhash'))
  await market.regtest.mineExactly([])
  await market.regtest.mineExactly([])
  await market.server.sync()
  await ord.sync()
  await late.server.sync()
  expect(await fetchJson(late.server, `/r/children/${parentId}`)).toMatchObject({ ids: [one.id, two.id] })
  expect(await late.sql`select 1 from incomplete_inscriptions`).toHaveLength(0)
  expect(await checkRollups(late.server.context)).toEqual([])
}, 300_000)

it('requests adopted data again after a reorg', async () => {
  const { trader, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(trader.wallet, 1)
  const fee = await market.regtest.fund(trader.wallet.ordinalsScript, 20_000)
  await market.mine()
  const before = await market.coinOf(ids[0]!)
  await ord.sync()
  await late.sql.end()
  await late.server.close()
  late = await begin()
  const move = buildPayment([before, fee], [{ valueSats: 10_000, script: trader.wallet.paymentScript }], {
    privateKey: keys.ordinals,
    feeRateSatVb: 2,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(move))
  await market.mine()
  const block = await market.regtest.call<string>('getbestblockhash')
  await ord.sync()
  await late.server.sync()
  // Adopted after the move, at its new location.
  const folder = join(dataDir, slug)
  cpSync(join(market.dataDir, slug), folder, { recursive: true })
  await loadCollections(late.sql, folder, { now: new Date() })
  await late.server.sync()
  expect((await late.market.coinOf(ids[0]!)).txid).toBe(txidOf(move))
  await market.regtest.call('invalidateblock', block)
  await market.regtest.mineExactly([])
  await market.regtest.mineExactly([])
  await market.server.sync()
  await ord.sync()
  await late.server.sync()
  expect(await late.market.coinOf(ids[0]!)).toEqual(before)
  expect(await checkRollups(late.server.context)).toEqual([])
}, 300_000)

it('reports why it cannot begin at an ord server', async () => {
  const sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
  const node = new CoreSource(market.node.url)
  await expect(beginAtOrd(sql, node, new Ord('http://127.0.0.1:1'))).rejects.toThrow(
    'The ord server is unavailable',
  )
  await expect(beginAtOrd(sql, node, new Ord(`${market.server.url}`))).rejects.toThrow(/inscriptions|JSON/)
  await expect(beginAtOrd(late.sql, node, new Ord(ord.url))).rejects.toThrow('already has blocks')
  await sql.end()
  const config = testConfig({ DATA_DIR: dataDir })
  await expect(
    startServer({ ...config, databaseUrl: late.market.databaseUrl, bitcoinRpcUrl: market.node.url }),
  ).rejects.toThrow('ORD_URL: found nothing')
})
