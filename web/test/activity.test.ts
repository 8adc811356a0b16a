import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../e2e/support/market.ts'
import { violations } from './support/axe.ts'
import { marketInBrowser } from './support/market-in-browser.ts'

/** The activity of the market and of a collection: its summary, its filters, and rows that arrive while one reads further down. */
const at = marketInBrowser()

it('lets new rows wait while the pointer is in the list, and shows one collection alone', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids.slice(0, 1), 30_000)
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/activity')
  await page.getByRole('combobox', { name: 'Collection' }).selectOption(`${slug} (unverified)`)
  await page.waitForURL(`**/activity?slug=${slug}`)
  const rows = page.getByRole('row').filter({ hasText: slug })
  await expect.poll(() => rows.count()).toBe(1)
  await rows.first().hover()
  await listAll(market, seller, slug, ids.slice(1), 40_000)
  await page.getByRole('button', { name: '1 new', exact: true }).waitFor()
  expect(await rows.count()).toBe(1)
  await page.mouse.move(0, 0)
  await expect.poll(() => rows.count()).toBe(2)
  expect(await violations(visitor)).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})

it('sums the sales of a day, filters a collection by kind, and lets new rows wait below the top', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 6)
  await listAll(market, seller, slug, ids.slice(0, 5), 30_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  await market.mine()
  const visitor = await at.visit(undefined, { context: { viewport: { width: 1280, height: 360 } } })
  const { page } = visitor
  await visitor.go('/activity')
  const figure = (name: string) =>
    page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })
  await figure('Volume, 24 h').getByText('0.0003').waitFor()
  expect(await figure('Buyers').locator('dd').textContent()).toBe('1')
  await page.getByRole('img', { name: 'Volume of each of the last 24 hours' }).waitFor()
  expect(await violations(visitor)).toEqual([])

  await visitor.go(`/collection/${slug}?tab=activity`)
  const rows = page.getByRole('row').filter({ hasText: slug })
  await expect.poll(() => rows.count()).toBe(6)
  const last = rows.last()
  await last.scrollIntoViewIfNeeded()
  await page.mouse.wheel(0, 5000)
  const place = () => last.evaluate((row) => Math.round(row.getBoundingClientRect().top))
  await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(200)
  const before = await place()
  await listAll(market, seller, slug, ids.slice(5, 6), 70_000)
  const pill = page.getByRole('button', { name: '1 new', exact: true })
  await pill.waitFor()
  expect(await place()).toBe(before)
  expect(await rows.count()).toBe(6)
  await pill.click()
  await expect.poll(() => rows.count()).toBe(7)
  await pill.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sales', exact: true }).click()
  await expect.poll(() => rows.count()).toBe(1)
  expect(page.url()).toContain('kind=sales')
  visitor.assertQuiet()
  await visitor.close()
})
