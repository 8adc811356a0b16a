import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renameTo } from '@ordbook/market/collections/from-chain.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listAll, setUpMarket } from '../../../../e2e/support/market.ts'

const market = setUpMarket()
let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(market.dataDir, 'imports-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

let last = 0
const newIds = (count: number) =>
  Array.from({ length: count }, () => `${(++last).toString(16).padStart(64, '0')}i0`)
const write = (folder: string, slug: string, ids: readonly string[]) => {
  mkdirSync(join(directory, folder), { recursive: true })
  writeFileSync(join(directory, folder, 'meta.json'), JSON.stringify({ name: folder, slug }))
  writeFileSync(join(directory, folder, 'inscriptions.json'), JSON.stringify(ids.map((id) => ({ id }))))
}
const load = () => loadCollections(market.sql, directory, { now: new Date() })
const idsOf = async (slug: string) =>
  (
    await market.sql<{ id: string }[]>`
      select inscription_id as id from collection_items join collections using (collection_id)
      where slug = ${slug} order by ordinal`
  ).map(({ id }) => id)

it('keeps the first of two folders with one slug', async () => {
  const [first, second] = [newIds(3), newIds(2)]
  write('a', 'MoonCats', first)
  write('b', 'mooncats', second)
  expect(await load()).toMatchObject({ collections: 1, refused: ['b'], stored: { items: 3 } })
  expect(await idsOf('mooncats')).toEqual(first)
})

it('keeps a renamed collection that another folder names', async () => {
  const [first, second] = [newIds(2), newIds(2)]
  write('a', 'old-name', first)
  await load()
  await renameTo(market.sql, 'old-name', 'new-name', null)
  write('b', 'new-name', second)
  const { refused, problems } = await load()
  expect(refused).toEqual(['b'])
  expect(problems).toMatchObject([
    { kind: 'slug-repeated', problem: expect.stringMatching(/the folder a has/) },
  ])
  expect(await idsOf('new-name')).toEqual(first)
})

it('does not replace another collection through a mapped slug', async () => {
  const ids = newIds(2)
  write('a', 'pixel-dogs', ids)
  await load()
  rmSync(join(directory, 'a'), { recursive: true })
  write('b', 'pixel dogs', newIds(1))
  expect(await load()).toMatchObject({ collections: 0, refused: ['b'] })
  expect(await idsOf('pixel-dogs')).toEqual(ids)
})

it('shortens a slug that is longer than an index entry', async () => {
  const [one, two, three] = newIds(3)
  const long = randomBytes(2000).toString('hex')
  write('a', long, [one!])
  write('b', `${long}-`, [two!])
  write('c', 'after-long-slugs', [three!])
  expect(await load()).toMatchObject({ collections: 2, refused: ['b'] })
  expect(await idsOf(long.slice(0, 200))).toEqual([one])
  expect(await idsOf('after-long-slugs')).toEqual([three])
})

it('updates a collection that it imported with a mapped slug', async () => {
  const [one, two] = newIds(2)
  write('a', 'pixel.birds', [one!])
  await load()
  write('a', 'pixel.birds', [one!, two!])
  expect(await load()).toMatchObject({ collections: 1, changed: 1 })
  expect(await idsOf('pixel-birds')).toEqual([one, two])
})

it('names the inscriptions that an update removes', async () => {
  const [one, two, three] = newIds(3)
  write('a', 'shrinking', [one!, two!, three!])
  await load()
  write('a', 'shrinking', [two!])
  const { problems, report } = await load()
  expect(problems).toMatchObject([
    { kind: 'items-removed', problem: `2 inscriptions were removed from shrinking: ${one}, ${three}` },
  ])
  expect(report.hasSkipped()).toBe(false)
})

it('counts kept and unknown inscriptions', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await market.anchors(2)
  await listAll(market, seller, slug, [ids[0]!], 40_000)
  const unseen = newIds(1)[0]!
  write(slug, slug, [ids[1]!, unseen])
  expect((await load()).stored).toEqual({ items: 3, kept: 1, unknown: 1 })
})

it('imports nothing in a dry run', async () => {
  write('a', 'only-checked', newIds(2))
  const { items, stored } = await loadCollections(null, directory, { now: new Date() })
  expect([items, stored, await idsOf('only-checked')]).toEqual([2, null, []])
})
