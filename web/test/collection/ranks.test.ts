import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('shows the rank on cards', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 4)
  const folder = join(market.dataDir, 'ranked')
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: 'Ranked', slug }))
  const hats = ['Cap', 'Crown', 'Cap', null]
  const items = ids.map((id, n) => ({
    id,
    meta: {
      name: `Keeper #${n}`,
      attributes: hats[n] ? [{ trait_type: 'Hat', value: hats[n] }] : [],
    },
  }))
  writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(market.sql, folder, { now: new Date() })
  await listAll(market, seller, slug, ids.slice(1, 2), 340_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[1]!]))
  await market.mine()
  await market.server.sync()

  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go(`/collection/${slug}?sort=rarity`)
  const cards = page.getByRole('article')
  await cards.nth(3).waitFor()
  const texts = await cards.allTextContents()
  expect(texts.map((text) => /#(\d).*?(?:Rank (\d))?$/.exec(text)?.slice(1))).toEqual([
    ['1', '1'],
    ['0', '2'],
    ['2', '3'],
    ['3', undefined],
  ])
  expect(texts[0]).toContain('Last 0.0034')
  await page.getByText(/^Ranked by rarity: /).waitFor()
  await cards.first().getByRole('link').first().click()
  await page.getByText('Rank 1 of 4').waitFor()
  await page.getByText(/^Ranked by rarity: /).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
