import { execFile } from 'node:child_process'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { type Server, startServer } from '@ordbook/app/server.ts'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { buildInscribe, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { bytesOfInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { connect, type Fragment, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { Adopter } from '@ordbook/indexer/adoption/adopt.ts'
import { beginAtOrd } from '@ordbook/indexer/adoption/begin.ts'
import { revealsOf } from '@ordbook/indexer/adoption/reveals.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { openPeer } from '@ordbook/indexer/verify/peer.ts'
import { verifyIndex } from '@ordbook/indexer/verify/verify.ts'
import { addChainCollection } from '@ordbook/market/collections/from-chain.ts'
import { updateSortKeys } from '@ordbook/market/collections/import-queries.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { encode } from 'cborg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, setUpMarket, testConfig } from '../support/market.ts'
import { type OrdServer, startOrd } from './support/ord-server.ts'

const market = setUpMarket()
const KEY = new Uint8Array(32).fill(6)
const owner = taprootScriptOf(KEY)
const text = (body: string): NewInscription => ({
  contentType: 'text/plain',
  body: new TextEncoder().encode(body),
})

const STYLE = 'p { color: red } '.repeat(40)

/** Ids of inscriptions from before and after the start of the index. */
const old: Record<string, string> = {}
const fresh: Record<string, string> = {}
let ord: OrdServer
let sql: Sql
let server: Server
let databaseUrl: string
let adopter: Adopter

beforeAll(async () => {
  ord = await startOrd(market)
  const [art, library, parent] = await inscribe(
    { ...text('art'), metadata: encode({ made: 'by hand' }) },
    { contentType: 'text/javascript', body: new TextEncoder().encode('export default 1') },
    text('parent'),
  )
  const [packed, corrupt, truncated, empty] = await inscribe(
    {
      contentType: 'text/css',
      contentEncoding: 'br',
      body: brotliCompressSync(STYLE),
    },
    { ...text('not gzip'), contentEncoding: 'gzip' },
    { ...text('cut'), contentEncoding: 'br', body: brotliCompressSync(STYLE).subarray(0, -2) },
    { ...text(''), contentEncoding: 'gzip' },
  )
  const [delegating, gallery] = await inscribe(
    { ...text('own'), delegate: library! },
    {
      ...text('gallery'),
      properties: encode(new Map([[0, [new Map([[0, bytesOfInscriptionId(art!)]])]]])),
    },
  )
  Object.assign(old, { art, library, parent, packed, corrupt, truncated, empty, delegating, gallery })
  const family = await inscribeChildren(coinOf(parent!), parent!, 2)
  Object.assign(old, { first: family.ids[0], second: family.ids[1] })
  await market.mine()
  await market.server.sync()
  await ord.sync()

  databaseUrl = await freshDatabase()
  sql = connect(databaseUrl, { max: 2 })
  await migrate(sql)
  const node = new CoreSource(market.node.url)
  const base = await beginAtOrd(sql, node, new Ord(ord.url))
  adopter = new Adopter(sql, node, new Ord(ord.url), base, updateSortKeys)
  const config = testConfig({ ORD_URL: ord.url })
  server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: market.node.url })

  const coin = await market.regtest.fund(owner, 50_000)
  const { commit, reveal } = buildInscribe(
    coin,
    [
      { ...text('low'), metadata: encode({ n: 1 }) },
      { ...text('middle'), pointer: 500 },
      { ...text('high'), pointer: 900 },
    ],
    { privateKey: KEY, feeRateSatVb: 2, outputs: [{ valueSats: 10_000, script: owner }] },
  )
  await market.regtest.mineExactly([commit, reveal])
  for (const [n, name] of ['low', 'middle', 'high'].entries()) fresh[name] = `${txidOf(reveal)}i${n}`
  const [mother, delegate] = await inscribe(text('mother'), { ...text('own'), delegate: library! })
  Object.assign(fresh, { mother, delegate })
  const [third] = (await inscribeChildren(family.parentCoin, parent!, 1)).ids
  const [daughter, son] = (await inscribeChildren(coinOf(mother!), mother!, 2)).ids
  Object.assign(fresh, { third, daughter, son })
  // An empty block in its place would be the same.
  await market.regtest.pay([{ valueSats: 20_000, script: owner }])
  await market.mine()
  await sync()
}, 300_000)
afterAll(async () => {
  await sql?.end()
  await server?.close()
  await ord?.stop()
})

const coinOf = (id: string): Coin => ({ txid: id.slice(0, 64), vout: 0, valueSats: 10_000, script: owner })
const inscribe = (...inscriptions: NewInscription[]) =>
  market.regtest.inscribe(inscriptions.map((inscription) => ({ inscription, owner, postageSats: 10_000 })))

async function inscribeChildren(held: Coin, parent: string, count: number) {
  const ids: string[] = []
  let parentCoin = held
  for (let n = 0; n < count; n++) {
    const coin = await market.regtest.fund(owner, 50_000)
    const { commit, reveal } = buildInscribe(coin, [{ ...text(`child ${n}`), parents: [parent] }], {
      privateKey: KEY,
      feeRateSatVb: 2,
      extraInputs: [parentCoin],
      outputs: [
        { valueSats: 10_000, script: owner },
        { valueSats: 10_000, script: owner },
      ],
    })
    await market.regtest.mineExactly([commit, reveal])
    const txid = txidOf(reveal)
    ids.push(`${txid}i0`)
    parentCoin = { ...parentCoin, txid, vout: 1 }
  }
  return { ids, parentCoin }
}

async function sync() {
  await market.server.sync()
  await ord.sync()
  await server.sync()
}

const HEADERS = [
  'content-type',
  'content-security-policy',
  'cache-control',
  'content-encoding',
  'x-content-type-options',
]
async function answerOf(origin: string, path: string, init: RequestInit = {}) {
  const response = await fetch(`${origin}${path}`, { headers: { 'accept-encoding': 'identity' }, ...init })
  return {
    status: response.status,
    body: await bodyOf(response),
    headers: response.ok ? HEADERS.map((name) => response.headers.get(name)?.replaceAll(origin, '')) : null,
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.headers.get('content-type')?.startsWith('application/json')) return bytes.toString('hex')
  const json = JSON.parse(bytes.toString() || 'null')
  if (!response.ok) return json?.code
  // Only ord has an index of runes.
  return typeof json === 'object' && json ? { ...json, runes: null } : json
}

async function expectSame(ids: readonly string[]) {
  for (const id of ids) {
    const [row] = await market.sql<
      { sat: number }[]
    >`select sat from inscriptions where inscription_id = ${id}`
    for (const path of [
      `/content/${id}`,
      `/r/undelegated-content/${id}`,
      `/r/inscription/${id}`,
      `/r/metadata/${id}`,
      `/r/children/${id}`,
      `/r/children/${id}/1`,
      `/r/children/${id}/inscriptions`,
      `/r/parents/${id}`,
      `/r/parents/${id}/inscriptions`,
      `/r/sat/${row?.sat ?? 0}`,
      `/r/sat/${row?.sat ?? 0}/at/-1`,
      `/r/sat/${row?.sat ?? 0}/at/0/content`,
      `/r/utxo/${id.slice(0, 64)}:0`,
    ])
      expect(await answerOf(server.url, path), path).toEqual(await answerOf(market.server.url, path))
  }
}

it('adopts a delegate again after a reorg', async () => {
  const heightOf = async () => {
    const [row] = await sql<{ adoptedHeight: number; tip: number }[]>`
      select adopted_height, (select max(height) from blocks) as tip from inscription_rows
      where inscription_id = ${old.library!}`
    return row
  }
  const before = (await heightOf())!
  expect(before.adoptedHeight).toBe(before.tip)
  await market.regtest.call('invalidateblock', await market.regtest.call<string>('getbestblockhash'))
  await market.regtest.mineExactly([])
  await market.regtest.mineExactly([])
  await sync()
  const after = await heightOf()
  expect(after?.tip).toBe(before.tip + 1)
  expect(after?.adoptedHeight).toBeGreaterThanOrEqual(before.tip)
}, 300_000)

it('answers as a full index does', async () => {
  for (const path of ['/r/blockhash/1', '/blockhash/1', '/r/blockinfo/1', '/r/block/1', '/r/blockhash/99999'])
    expect(await answerOf(server.url, path), path).toEqual(await answerOf(market.server.url, path))
  await expectSame([...Object.values(old), ...Object.values(fresh), `${'ee'.repeat(32)}i0`])

  // Only the delegate was adopted, because an inscription of the index names it.
  const held = await sql`select inscription_id from inscription_rows where adopted_height is not null`
  expect([...held]).toEqual([{ inscriptionId: old.library }])
  expect(await adopter.adopt(Object.values(old))).toEqual(new Set(Object.values(old)))
  const columns = (of: Sql) => of`
    select inscription_id, delegate_id, pointer, content_type, content_encoding, content_length, metaprotocol, metadata,
      properties, property_encoding, parent_ids, fee_sats
    from inscription_rows where inscription_id = any(${Object.values({ ...old, ...fresh })}::text[]) order by inscription_id`
  expect([...(await columns(sql))]).toEqual([...(await columns(market.sql))])
  await expectSame(Object.values(old))
  for (const [path, init] of [
    [`/content/${old.packed}`, { headers: { 'accept-encoding': 'br' } }],
    [`/content/${old.packed}`, { method: 'HEAD' }],
    [`/content/${old.art}`, { method: 'HEAD' }],
    [`/content/${old.art}`, { headers: { range: 'bytes=1-' } }],
  ] as const)
    expect(await answerOf(server.url, path, init), path).toEqual(
      await answerOf(market.server.url, path, init),
    )
}, 300_000)

it('requests permanent responses of ord once', async () => {
  if (ord.isReal) return
  await sql`delete from inscription_rows where inscription_id in (${old.art!}, ${old.parent!})`
  const timesOf = async (path: string) => {
    ord.requests.length = 0
    for (let n = 0; n < 3; n++) expect((await fetch(`${server.url}${path}`)).status).toBe(200)
    return ord.requests.length
  }
  // The earlier test has fetched these.
  expect(await timesOf(`/content/${old.art}`)).toBe(0)
  expect(await timesOf(`/r/metadata/${old.art}`)).toBe(0)
  expect(await timesOf(`/r/children/${old.parent}`)).toBe(3)
  await adopter.adopt([old.art!, old.parent!])
})

it('reports that ord is unavailable', async () => {
  const fail = () => Promise.reject(new Error('refused'))
  const original = globalThis.fetch
  const { request } = http
  http.request = (() => {
    throw new Error('refused')
  }) as typeof request
  syncBuiltinESMExports()
  globalThis.fetch = ((input: URL | string, init?: RequestInit) =>
    String(input).startsWith(ord.url) ? fail() : original(input, init)) as typeof fetch
  try {
    for (const path of [`/content/${'dd'.repeat(32)}i0`, `/r/inscription/${'dd'.repeat(32)}i0`, '/r/sat/5']) {
      const response = await original(`${server.url}${path}`)
      expect(response.status, path).toBe(503)
      expect(await response.json()).toMatchObject({ code: 'ord-unavailable' })
    }
  } finally {
    globalThis.fetch = original
    http.request = request
    syncBuiltinESMExports()
  }
})

const all = (of: Sql) => of`
  select i.*, w.txid as watched_txid, w.vout as watched_vout, w.owner_script as watched_script
  from inscriptions i left join watched_inscriptions w using (inscription_id) order by sequence`
const trees = (of: Sql) => of`select * from inscribed_sats order by sat_id`
const counters = (of: Sql) => of`select * from blocks order by height desc limit 1`
const dump = async () => [[...(await all(sql))], [...(await trees(sql))], [...(await counters(sql))]]

async function runVerify(url: string): Promise<{ code: number; stdout: string }> {
  const script = join(import.meta.dirname, '../../scripts/market/operate.ts')
  const env = {
    ...process.env,
    CHAIN: 'regtest',
    DATABASE_URL: databaseUrl,
    BITCOIN_RPC_URL: market.node.url,
  }
  const found = await promisify(execFile)(process.execPath, [script, 'verify', url], { env }).catch(
    (error: { code: number; stdout: string }) => error,
  )
  return { code: 'code' in found ? found.code : 0, stdout: found.stdout }
}

it.each(['ord', 'a second ordbook'])(
  'verify finds and repairs what differs from %s',
  async (peer) => {
    const url = peer === 'ord' ? ord.url : market.server.url
    if (peer === 'ord') {
      await addChainCollection(sql, {
        kind: 'parent_child',
        sourceId: fresh.mother!,
        slug: 'kin',
        name: 'Kin',
        now: new Date(),
      })
      await addChainCollection(sql, {
        kind: 'parent_child',
        sourceId: old.parent!,
        slug: 'old-kin',
        name: 'Old kin',
        now: new Date(),
      })
    }
    await adopter.adopt(Object.values(old))
    expect(await runVerify(url)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 differences repaired'),
    })
    const before = await dump()
    const sat = (id: string) => sql`(select sat_id from inscription_rows where inscription_id = ${id})`
    const root = (id: string) => sql`root_of_sat(${sat(id)})`
    const set = (id: string, change: Fragment) =>
      sql`update inscription_rows set ${change} where inscription_id = ${id}`
    await set(old.art!, sql`inscription_number = inscription_number + 7, metadata = null`)
    await set(old.packed!, sql`content_length = 1, content_encoding = null, fee_sats = 1`)
    await set(old.delegating!, sql`delegate_id = null, sat = sat + 1`)
    await set(old.gallery!, sql`properties = null, height = height - 1, inscribed_at = now()`)
    await set(fresh.mother!, sql`body = 'broken', content_type = 'image/png'`)
    await set(fresh.daughter!, sql`parent_ids = '{}'`)
    await set(fresh.third!, sql`cursed = true, reinscription = true`)
    await sql`update inscribed_sats set owner_script = '\\x51', output_value_sats = 5 where sat_id = ${root(old.art!)}`
    await sql`update inscribed_sats set txid = ${'ab'.repeat(32)} where sat_id = ${root(fresh.daughter!)}`
    await sql`
    update inscribed_sats set sat_offset = sat_offset + 3
    where sat_id in (${sat(fresh.low!)}, ${sat(fresh.middle!)}, ${sat(fresh.high!)}) and parent_id is not null`
    await sql`
    update inscription_rows set sat_id = ${sat(old.library!)} where inscription_id = ${fresh.delegate!}`
    // Each of two coins at the place of the other.
    const [a, b] = [old.first!, fresh.low!]
    await sql`
      update inscribed_sats set txid = case txid when ${a.slice(0, 64)} then ${b.slice(0, 64)} else ${a.slice(0, 64)} end
      where sat_id in (${root(a)}, ${root(b)})`
    if (peer === 'ord')
      await sql`update blocks set blessed_count = blessed_count + 1 where height = (select max(height) from blocks)`
    expect(await dump()).not.toEqual(before)

    const { code, stdout } = await runVerify(url)
    for (const [id, field] of [
      [old.art, 'number'],
      [old.art, 'metadata'],
      [old.art, 'owner'],
      [old.art, 'value'],
      [old.packed, 'content length'],
      [old.packed, 'content encoding'],
      [old.packed, 'fee'],
      [old.delegating, 'delegate'],
      [old.delegating, 'sat'],
      [old.gallery, 'properties'],
      [old.gallery, 'height'],
      [old.gallery, 'time'],
      [fresh.mother, 'body'],
      [fresh.mother, 'content type'],
      [fresh.daughter, 'parents'],
      [fresh.daughter, 'place'],
      [fresh.third, 'charms'],
      [fresh.delegate, 'place'],
      [old.first, 'place'],
      [fresh.low, 'place'],
      [fresh.high, 'place'],
      ...(peer === 'ord' ? [[`block ${await market.regtest.call('getblockcount')}`, 'counters']] : []),
    ] as const)
      expect(stdout).toMatch(new RegExp(`^${id}: ${field} .*: repaired$`, 'm'))
    expect(stdout).not.toContain('cannot be repaired')
    expect(code).toBe(0)
    expect(await dump()).toEqual(before)
    expect(await checkRollups(server.context)).toEqual([])
    await expectSame([old.art!, old.packed!, fresh.mother!, fresh.daughter!, fresh.delegate!, fresh.middle!])
  },
  300_000,
)

it('verify exits with 1 if something cannot be repaired', async () => {
  const before = await dump()
  await sql`
    update inscribed_sats set parent_id = null, txid = ${'cd'.repeat(32)}, vout = 0, output_value_sats = 1, owner_script = '\\x51',
      low_offset = sat_offset, high_offset = sat_offset
    where sat_id = (select s.sat_id from inscribed_sats s join inscription_rows i using (sat_id)
      where i.inscription_id = any(${[fresh.low!, fresh.middle!, fresh.high!]}::text[]) and s.parent_id is not null limit 1)`
  await sql`delete from inscription_rows where inscription_id = ${fresh.son!}`
  const { code, stdout } = await runVerify(ord.url)
  expect(code).toBe(1)
  expect(stdout).toMatch(/: place .*: cannot be repaired$/m)
  expect(stdout).toMatch(/^the index: inscriptions of its blocks .*: cannot be repaired$/m)
  expect(await dump()).not.toEqual(before)
}, 300_000)

it('verify compares again if a block arrives during it', async () => {
  await sql`
    update inscription_rows set inscription_number = inscription_number + 7 where inscription_id = ${fresh.third!}`
  const node = new CoreSource(market.node.url)
  const peer = await openPeer(ord.url, node)
  const { inscriptions } = peer
  let calls = 0
  peer.inscriptions = async (ids) => {
    const found = await inscriptions.call(peer, ids)
    if (ids.length > 0 && calls++ === 0) {
      await market.mine()
      await sync()
    }
    return found
  }
  const lines: string[] = []
  await verifyIndex({
    sql,
    peer,
    peerUrl: ord.url,
    reveals: revealsOf(node, peer),
    chain: 'regtest',
    onParents: async () => {},
    say: (line) => void lines.push(line),
  })
  expect(calls).toBeGreaterThan(1)
  expect(lines.filter((line) => line.startsWith(`${fresh.third}: number`))).toHaveLength(1)
}, 300_000)
