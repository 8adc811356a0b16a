import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket } from '../../../../e2e/support/market.ts'
import { visit } from '../../../../e2e/support/storefront.ts'

const market = setUpMarket()

const read = async (path: string) => {
  const { status, body } = await visit(market.server.url, `/web/v1${path}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

it('ranks items by trait rarity', async () => {
  const { slug, ids } = await market.collection((await market.trader()).wallet, 1)
  const folder = join(market.dataDir, 'ranked')
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: 'Ranked', slug }))
  const traitValues = [['Cap'], ['Cap'], ['Cap', 'Scarf'], ['Crown'], []]
  const id = (n: number) => ids[n] ?? `${randomBytes(32).toString('hex')}i0`
  const items = traitValues.map((values, n) => ({
    id: id(n),
    meta: {
      name: `Item ${n}`,
      attributes: values.map((value) => ({ trait_type: `Has ${value}`, value })),
    },
  }))
  writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(market.sql, folder, { now: new Date() })
  const page = await read(`/collections/${slug}/items?sort=rarity`)
  // With five items, a cap scores 5/3, and a scarf or crown 5.
  expect(page.items.map(({ name, rank }: { name: string; rank: number | null }) => [name, rank])).toEqual([
    ['Item 2', 1],
    ['Item 3', 2],
    ['Item 0', 3],
    ['Item 1', 4],
    ['Item 4', null],
  ])
  expect((await read(`/inscriptions/${ids[0]}`)).collections).toMatchObject([{ slug, rank: 3 }])
})

it('returns prices by rank', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 4)
  await market.sql`
    update collection_items set
      traits = case right(item_name, 1) when '3' then '[]' else '[{"type":"Hat","value":"Cap"}]'::jsonb end,
      rarity_rank = 10 - right(item_name, 1)::int
    from collections c where c.collection_id = collection_items.collection_id and c.slug = ${slug}`
  for (const [n, id] of ids.entries()) await listAll(market, seller, slug, [id], 20_000 + n * 1000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(1, 2)))
  await market.mine()
  const ranked = (n: number) => ({ inscriptionId: ids[n], rank: 10 - n, priceSats: 20_000 + n * 1000 })
  expect((await read(`/collections/${slug}/analytics`)).ranks).toEqual({
    listings: [ranked(2), ranked(0)],
    sales: [ranked(1)],
  })
  const { status } = await visit(market.server.url, '/web/v1/collections/unknown/analytics')
  expect(status).toBe(404)
})
