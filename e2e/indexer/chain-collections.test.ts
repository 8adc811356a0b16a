import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { bytesOfInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { readProperties } from '@ordbook/indexer/inscriptions/properties.ts'
import { addChainCollection, renameTo } from '@ordbook/market/collections/from-chain.ts'
import { listChildren, setVerified } from '@ordbook/market/collections/import-queries.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { offer } from '@ordbook/sdk/index.ts'
import { encode } from 'cborg'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { createFamily } from '../support/families.ts'
import { agreementFor, listAll, setUpMarket, setUpTrader } from '../support/market.ts'
import { offering } from '../support/offers.ts'

const market = setUpMarket()
const seller = setUpTrader(market)
beforeAll(async () => {
  await market.anchors(20)
})
afterEach(async () => expect(await checkRollups(market.server.context)).toEqual([]))

const KEY = new Uint8Array(32).fill(5)
const text = (body: string, more: Partial<NewInscription> = {}): NewInscription => ({
  contentType: 'text/plain',
  body: new TextEncoder().encode(body),
  ...more,
})
const itemsOf = async (slug: string) =>
  (await seller.client.call('listCollectionInscriptions', { params: { slug } })).items
const attributes = (title: string, traits: [string, unknown][] = []) =>
  new Map<number, unknown>([
    [0, title],
    [1, new Map(traits)],
  ])

const family = (count: number) => createFamily(market, seller.wallet.ordinalsScript, count)

/** Returns the names of the children of a parent whose properties a block does not read again. */
async function knownChildrenOf(name: string, parentId: string) {
  const [row] = await market.sql<{ collectionId: string }[]>`
    select collection_id from collections where source_inscription_id = ${parentId}`
  const children = await inTransaction(market.sql, (tx) => listChildren(tx, { ...row!, name }, [parentId]))
  for (const { known, properties } of children) if (known) expect(properties).toBeNull()
  return children.map(({ known }) => known?.name ?? null)
}

it('contains the children of a parent', async () => {
  const { parentId, children, add } = await family(2)
  await market.server.sync()
  const collection = {
    kind: 'parent_child',
    sourceId: parentId,
    slug: 'family',
    name: 'Family',
    now: new Date(),
  } as const
  const unknown = { ...collection, sourceId: `${'ab'.repeat(32)}i0` }
  await expect(addChainCollection(market.sql, unknown)).rejects.toThrow(/^(ab){32}i0 is not in the index/)
  expect(await addChainCollection(market.sql, collection)).toBe(2)
  await expect(addChainCollection(market.sql, collection)).rejects.toThrow('already exists')
  await expect(addChainCollection(market.sql, { ...collection, slug: 'other' })).rejects.toThrow(
    'A collection of this parent already exists',
  )
  await add(2, {
    properties: encode(
      new Map([
        [
          1,
          attributes('The \u202ethird\0', [
            ['Hat', '\u2067red'],
            ['Old', true],
            ['Size', 7],
            ['None', null],
          ]),
        ],
      ]),
    ),
  })
  // Declares the parent without spending it.
  await market.regtest.inscribe([
    {
      inscription: text('foundling', { parents: [parentId] }),
      owner: seller.wallet.ordinalsScript,
      postageSats: 10_000,
    },
  ])
  await market.server.sync()
  const items = await itemsOf('family')
  expect(items.map(({ id, name }) => [id, name])).toEqual([
    [children[0], 'Family #1'],
    [children[1], 'Family #2'],
    [children[2], 'The third'],
  ])
  expect(items[2]!.traits.map(({ type, value, count }) => [type, value, count])).toEqual([
    ['Hat', 'red', 1],
    ['Old', 'true', 1],
    ['None', 'null', 1],
    ['Size', '7', 1],
  ])
  expect(await knownChildrenOf('Family', parentId)).toEqual(['Family #1', 'Family #2', 'The third'])
  expect(await knownChildrenOf('Renamed', parentId)).toEqual([null, null, 'The third'])
  expect(await setVerified(market.sql, 'family', true)).toBe(true)
  const listed = await listAll(market, seller, 'family', [children[0]!], 40_000)
  const { listings } = await seller.client.call('listListings', { query: { collectionSlug: 'family' } })
  expect(listings[0]).toMatchObject({
    listingId: listed.get(children[0]!),
    collection: { slug: 'family', kind: 'parent_child', verificationStatus: 'verified' },
  })
  const tip = await market.regtest.call<number>('getblockcount')
  const block = await market.regtest.call<string>('getblockhash', tip - 2)
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  expect((await itemsOf('family')).map((item) => item.id)).toEqual(children.slice(0, 2))
  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
  expect((await itemsOf('family')).map((item) => item.id)).toEqual(children)
})

it('shortens names and traits between characters', async () => {
  const { parentId, add } = await family(1)
  await market.server.sync()
  await addChainCollection(market.sql, {
    ...{ kind: 'parent_child', sourceId: parentId, slug: 'cut', name: 'Cut' },
    now: new Date(),
  })
  const long = `${'x'.repeat(519)}😀`
  await add(1, { properties: encode(new Map([[1, attributes(long, [[`${long}y`, long]])]])) })
  await market.server.sync()
  const shown = 'x'.repeat(519)
  const item = (await itemsOf('cut'))[1]!
  expect([item.name, item.traits.map(({ type, value }) => [type, value])]).toEqual([shown, [[shown, shown]]])
})

it('omits a trait that is too long for a database index', async () => {
  const { parentId, children, add } = await family(0)
  await market.server.sync()
  const [slug, name] = ['longest', 'Longest']
  await addChainCollection(market.sql, {
    kind: 'parent_child',
    sourceId: parentId,
    slug,
    name,
    now: new Date(),
  })
  // The longest trait text. It does not compress.
  const longest = () =>
    String.fromCharCode(...Array.from({ length: 520 }, () => 0x4e00 + Math.floor(Math.random() * 20_000)))
  const traits: [string, string][] = [
    [longest(), longest()],
    [longest(), 'red'],
  ]
  await add(0, { properties: encode(new Map([[1, attributes('Long', traits)]])) })
  expect(await market.server.sync()).toBe(await market.regtest.call('getblockcount'))
  const items = await itemsOf(slug)
  expect(items.map(({ id }) => id)).toEqual(children)
  expect(items[0]!.traits.map(({ type, value }) => [type, value])).toEqual([traits[1]])
})

it('contains the items of a gallery', async () => {
  const { ids } = await market.collection(seller.wallet, 3)
  const unseen = `${'ab'.repeat(32)}i300`
  const all = [...ids, unseen]
  const item = (id: string, n: number) =>
    new Map<number, unknown>([
      [0, bytesOfInscriptionId(id)],
      [1, attributes(`Piece ${n}`, [['Room', n]])],
    ])
  const inline = encode(new Map([[0, all.map(item)]]))
  const packed = encode(
    new Map<number, unknown>([
      [0, all.map((id) => new Map([[2, Number(id.split('i')[1])]]))],
      [2, Buffer.concat(all.map((id) => Buffer.from(id.slice(0, 64), 'hex').reverse()))],
    ]),
  )
  const bomb = brotliCompressSync(encode(new Map([[0, Array(40_000).fill(item(ids[0]!, 0))]])))
  const brotli = (bytes: Uint8Array) => new Uint8Array(brotliCompressSync(bytes))
  const kinds: [Partial<NewInscription>, number][] = [
    [{ properties: inline }, 4],
    [{ properties: packed }, 4],
    [{ properties: brotli(inline), propertyEncoding: 'br' }, 4],
    [{ properties: brotli(inline) }, 0],
    [{ properties: inline, propertyEncoding: 'gzip' }, 0],
    [{ properties: new Uint8Array(bomb), propertyEncoding: 'br' }, 0],
    [{ properties: encode(new Map([[0, [item(ids[0]!, 0), new Map()]]])) }, 0],
    [{ properties: Uint8Array.of(0xbf, 0x00, 0x80, 0xff) }, 0],
  ]
  const galleries = await market.regtest.inscribe(
    kinds.map(([more]) => ({
      inscription: text('gallery', more),
      owner: taprootScriptOf(KEY),
      postageSats: 10_000,
    })),
  )
  await market.server.sync()
  for (const [n, [, size]] of kinds.entries()) {
    const collection = {
      kind: 'gallery',
      sourceId: galleries[n]!,
      slug: `gallery-${n}`,
      name: `Gallery ${n}`,
    } as const
    expect(await addChainCollection(market.sql, { ...collection, now: new Date() })).toBe(size)
    expect((await itemsOf(`gallery-${n}`)).map((each) => each.id)).toEqual(size === 0 ? [] : all)
  }
  const [first] = await itemsOf('gallery-0')
  expect(first).toMatchObject({
    name: 'Piece 0',
    traits: [{ type: 'Room', value: '0' }],
    owner: seller.wallet.ordinalsAddress,
  })
  expect(readProperties(packed, null).gallery.at(-1)!.inscriptionId).toBe(unseen)
})

it('keeps collections and orders after a rename', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const folder = join(market.dataDir, slug)
  const reimport = async (kept: readonly string[], as = slug) => {
    writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: slug, slug: as }))
    writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(kept.map((id) => ({ id }))))
    return loadCollections(market.sql, folder, { now: new Date() })
  }
  await market.anchors(4)
  await listAll(market, seller, slug, [ids[0]!], 40_000)
  const buyer = await market.trader()
  await offer(buyer, slug, await offering(market, buyer, [ids[1]!], 30_000))
  // Traded items stay in the collection after they leave the registry.
  expect((await reimport([`${'cd'.repeat(32)}i0`])).refused).toEqual([])
  expect(new Set((await itemsOf(slug)).map((item) => item.id))).toEqual(
    new Set([ids[0], ids[1], `${'cd'.repeat(32)}i0`]),
  )
  expect((await reimport([])).refused).toEqual([slug])
  expect(await itemsOf(slug)).toHaveLength(3)

  await renameTo(market.sql, slug, `${slug}-new`, 'Renamed')
  const { listings } = await buyer.client.call('listListings', { query: { collectionSlug: `${slug}-new` } })
  expect(listings).toMatchObject([{ inscriptionId: ids[0], collection: { name: 'Renamed' } }])
  const floors = await buyer.client.call('listCollectionFloorStats', { query: { slugs: `${slug}-new` } })
  expect(floors.data).toMatchObject([{ slug: `${slug}-new`, floor: 40_000, listedCount: 1 }])
  // An import with the previous slug renames the collection.
  await reimport(ids)
  expect(await itemsOf(`${slug}-new`)).toHaveLength(3)
  await expect(itemsOf(slug)).rejects.toMatchObject({ status: 404 })
  await expect(agreementFor(market, buyer, [ids[0]!])).resolves.toBeDefined()
  // An import must not replace a collection defined by the chain.
  const result = await reimport(ids, 'family')
  expect(result.refused).toEqual([slug])
  expect(result.problems).toMatchObject([{ kind: 'slug-on-chain' }])
})
