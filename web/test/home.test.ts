import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../e2e/support/market.ts'
import { marketInBrowser } from './support/market-in-browser.ts'

/** The first page, from a market without a sale to one that trades. */
const at = marketInBrowser()

it('opens a new market with art, and shows sales and the floor as they come', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 4)
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/')
  await page.getByText('No sales yet. Buy the first one.').waitFor()
  await page.getByText('Nothing is for sale yet. Make the first offer.').waitFor()
  // The spotlight and the first items.
  await page.getByRole('link', { name: /^Spotlight/ }).waitFor()
  expect(await page.getByRole('article').count()).toBe(ids.length)
  // A window without sales is blank, not zero.
  const row = page.getByRole('row', { name: new RegExp(slug) })
  expect(await row.textContent()).not.toMatch(/0 BTC|–/)

  await listAll(market, seller, slug, ids.slice(0, 2), 1_000_000)
  await listAll(market, seller, slug, ids.slice(2, 3), 1_040_000)
  await listAll(market, seller, slug, ids.slice(3), 2_000_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
  await market.server.sync()
  await visitor.go('/')
  const sales = page.getByRole('region', { name: 'Latest sales' })
  await sales.getByRole('link', { name: `${slug} #0` }).waitFor()
  await page.getByRole('heading', { name: 'Just above the floor' }).waitFor()
  // At 0.01 and 4% above it; at twice the floor none.
  expect(await page.getByRole('article').count()).toBe(2)
  const sorted = page.getByRole('columnheader', { name: 'Volume, 7 d' })
  expect(await sorted.getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('button', { name: 'Owners' }).click()
  await page.locator('th[aria-sort="descending"]', { hasText: 'Owners' }).waitFor()
  expect(page.url()).toContain('sort=owners')
  visitor.assertQuiet()
  await visitor.close()
})
