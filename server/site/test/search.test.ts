import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
const seller = setUpTrader(market)
let ids: string[]
let slug: string
beforeAll(async () => {
  ;({ ids, slug } = await market.collection(seller.wallet, 4))
  await load(slug, 'Lamp Keepers', [
    [ids[0]!, 'The Lamp Keeper #2207', 'Brass crown'],
    [ids[1]!, '🍓.gm', 'Wool'],
    [ids[2]!, 'Ångström ❤️ Élan', 'Wool'],
    [ids[3]!, 'one two three four five Zebra', 'Wool'],
  ])
  await listAll(market, seller, slug, ids.slice(0, 1), 70_000)
})

async function load(
  slug: string,
  name: string,
  items: (readonly [id: string, name: string, value: string])[],
) {
  const folder = join(market.dataDir, `search-${slug}`)
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name, slug }))
  writeFileSync(
    join(folder, slug, 'inscriptions.json'),
    JSON.stringify(
      items.map(([id, name, value]) => ({
        id,
        meta: { name, attributes: [{ trait_type: 'Headwear', value }] },
      })),
    ),
  )
  await loadCollections(market.sql, folder, { now: new Date() })
}

const unseen = () => `${randomBytes(32).toString('hex')}i0`
const find = async (q: string) => {
  const { status, body } = await visit(market.server.url, `/web/v1/search?q=${encodeURIComponent(q)}`)
  expect(status, `${q}: ${JSON.stringify(body)}`).toBe(200)
  return body
}
const namesOf = async (q: string): Promise<string[]> =>
  (await find(q)).inscriptions.map((inscription: { name: string }) => inscription.name)

it.each([
  ['keeper 22', 'The Lamp Keeper #2207'],
  ['LAMP', 'The Lamp Keeper #2207'],
  ['  lamp-keeper #2207 ', 'The Lamp Keeper #2207'],
  ['2207', 'The Lamp Keeper #2207'],
  ['#2207', 'The Lamp Keeper #2207'],
  ['🍓', '🍓.gm'],
  ['gm', '🍓.gm'],
  ['❤', 'Ångström ❤️ Élan'],
  ['zeb', 'one two three four five Zebra'],
])('search finds an item by %s', async (q, name) => {
  expect(await namesOf(q)).toEqual([name])
})

it('search finds traits and collections', async () => {
  expect(await find('crown')).toMatchObject({
    traits: [
      {
        type: 'Headwear',
        value: 'Brass crown',
        count: 1,
        collectionSlug: slug,
        verificationStatus: 'unverified',
      },
    ],
  })
  expect((await find('keepers')).collections).toMatchObject([
    { slug, name: 'Lamp Keepers', itemCount: 4, floorSats: 70_000, sameNameAs: null },
  ])
  expect((await find(slug)).collections).toMatchObject([{ slug }])
  expect((await find('lamp keeper 2207')).inscriptions).toMatchObject([
    { inscriptionId: ids[0], priceSats: 70_000, collectionName: 'Lamp Keepers' },
  ])
})

it('search finds inscriptions by id, number and satpoint', async () => {
  const { txid, vout } = await market.coinOf(ids[1]!)
  const { body } = await visit(market.server.url, `/web/v1/inscriptions/${ids[1]}`)
  const whole = [
    ids[1]!,
    ids[1]!.toUpperCase().replace('I0', 'i0'),
    `${txid}:${vout}`,
    `${txid}:${vout}:${body.satOffset}`,
    ...(ids[1]!.endsWith('i0') ? [ids[1]!.slice(0, 64)] : []),
  ]
  for (const q of whole) {
    const found = await find(q)
    expect(found.inscriptions, q).toMatchObject([{ inscriptionId: ids[1], name: '🍓.gm' }])
    expect({ ...found, inscriptions: [] }).toEqual({
      traits: [],
      inscriptions: [],
      collections: [],
      addresses: [],
    })
  }
  const number = String(body.inscriptionNumber)
  expect((await find(number)).inscriptions[0]).toMatchObject({ inscriptionId: ids[1] })
  // The sat, by its number and by its name.
  const { sat } = body
  expect(sat).toBeGreaterThan(0)
  let name = ''
  for (let left = 2_099_999_997_690_000 - sat; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(97 + ((left - 1) % 26)) + name
  for (const q of [String(sat), name, name.toUpperCase()])
    expect((await find(q)).inscriptions, q).toMatchObject([{ inscriptionId: ids[1] }])
  expect((await find(`${txid}:${vout}:9999`)).inscriptions).toEqual([])
})

it('search finds a trader by an address prefix', async () => {
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const address = buyer.wallet.ordinalsAddress
  expect((await find(address)).addresses).toEqual([address])
  expect((await find(address.slice(0, 14))).addresses).toEqual([])
  await listAll(market, seller, slug, ids, 70_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await market.mine()
  await market.server.sync()
  for (const length of [14, 20, 40, address.length - 1])
    expect((await find(address.slice(0, length))).addresses, `${length}`).toEqual([address])
  expect((await find(address.slice(0, 20).toUpperCase())).addresses).toEqual([address])
  expect((await find(seller.wallet.ordinalsAddress.slice(0, 16))).addresses).toEqual([
    seller.wallet.ordinalsAddress,
  ])
  // Too short, or of another network.
  expect((await find('bcrt1p')).addresses).toEqual([])
  expect((await find(address.replace('bcrt1', 'bc1').slice(0, 16))).addresses).toEqual([])
})

it('search ranks verified collections first', async () => {
  const { slug: real, ids } = await market.collection(seller.wallet, 1)
  await load(real, 'Harbour Moths', [[ids[0]!, 'Harbour Moth #1', 'Lantern']])
  for (let n = 0; n < 60; n++)
    await load(`aa-fake-${n}`, 'Harbour Moths', [[unseen(), 'Harbour Moth #1', 'Lantern']])
  await market.sql`update collections set verification_status = 'verified' where slug = ${real}`
  const found = await find('harbour')
  expect(found.collections).toHaveLength(5)
  expect(found.collections[0]).toMatchObject({ slug: real, sameNameAs: null })
  expect(found.collections[1].sameNameAs).toMatchObject({ slug: real })
  expect(found.inscriptions).toHaveLength(5)
})

it('search rejects malformed text', async () => {
  const emptyResult = { traits: [], inscriptions: [], collections: [], addresses: [] }
  for (const q of [
    '%',
    '_',
    "'; drop table collections",
    '\\',
    '...',
    '\u200b',
    '#',
    '٣',
    '-99',
    '9'.repeat(16),
    'x'.repeat(100),
    '{}',
    `${'0'.repeat(64)}:0`,
    'bcrt1pbio',
  ])
    expect(await find(q), q).toEqual(emptyResult)
  for (const q of ['', 'x'.repeat(101), 'a\0b'])
    expect((await visit(market.server.url, `/web/v1/search?q=${encodeURIComponent(q)}`)).status, q).toBe(400)
})

it('name search uses an index', async () => {
  const plan = await market.sql.begin(async (tx) => {
    await tx`set local enable_seqscan = off`
    return tx<{ 'QUERY PLAN': string }[]>`
      explain select inscription_id from collection_items m
      where search_phrase(m.item_name, 2) collate "C" >= 'lamp' and search_phrase(m.item_name, 2) collate "C" < 'lamp' || chr(1114111)
      order by search_phrase(m.item_name, 2) collate "C" limit 50`
  })
  expect(JSON.stringify(plan)).toContain('collection_items_word_2')
})
