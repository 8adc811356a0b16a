import { buy, type LocalWallet } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { ANYONE, spend } from '../../../e2e/purchases/support/anyone.ts'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('holds back new rows under the pointer', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids.slice(0, 1), 30_000)
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/activity')
  await page.getByRole('combobox', { name: 'Collection' }).selectOption(`${slug} (unverified)`)
  await page.waitForURL(`**/activity?slug=${slug}`)
  const rows = page.getByRole('row').filter({ hasText: slug }).filter({ hasNotText: 'Inscribed' })
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

it('sums the sales of the last day', async () => {
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
  await page.getByRole('img', { name: 'Hourly volume of the last 24 hours' }).waitFor()
  expect(await violations(visitor)).toEqual([])

  await visitor.go(`/collection/${slug}?tab=activity`)
  const rows = page.getByRole('row').filter({ hasText: slug }).filter({ hasNotText: 'Inscribed' })
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

it('filters by price and watchlist', async () => {
  const { market, seller, buyer } = at
  const sent = await market.collection({ ordinalsScript: ANYONE.script } as LocalWallet, 1)
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids.slice(0, 1), 2_000_000)
  await listAll(market, seller, slug, ids.slice(1, 2), 50_000)
  const { txid, vout, valueSats } = await market.coinOf(sent.ids[0]!)
  const moved = spend([{ txid, vout }], [{ valueSats: valueSats - 300, script: buyer.wallet.ordinalsScript }])
  await market.regtest.mineExactly([moved])
  await market.server.sync()
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/activity')
  await page.getByRole('button', { name: 'Transfers', exact: true }).click()
  await page.waitForURL('**/activity?kind=transfers')
  const transfer = page
    .getByRole('row')
    .filter({ hasText: `${sent.slug} #0` })
    .filter({ hasText: 'Transfer' })
  await transfer.waitFor()
  const buyers = await transfer
    .getByRole('link', { name: /^bcrt1/ })
    .last()
    .getAttribute('href')
  expect(buyers).toContain(buyer.wallet.ordinalsAddress)
  await page.getByRole('row').filter({ hasText: slug }).filter({ hasText: 'Inscribed' }).first().waitFor()
  // Transfers have no price, so there is no price filter.
  const price = page.getByRole('combobox', { name: 'Min. price' })
  expect(await price.count()).toBe(0)
  await page.getByRole('button', { name: 'All', exact: true }).click()
  const listed = page.getByRole('row').filter({ hasText: slug }).filter({ hasText: 'Listed' })
  await expect.poll(() => listed.count()).toBe(2)
  await price.selectOption('From 0.01 BTC')
  await page.waitForURL('**/activity?min=1000000')
  await expect.poll(() => listed.count()).toBe(1)
  expect(await listed.textContent()).toContain('0.02000 BTC')
  await price.selectOption('Any price')
  await expect.poll(() => listed.count()).toBe(2)

  await page.getByRole('button', { name: 'Pause' }).click()
  await listAll(market, seller, slug, ids.slice(2), 60_000)
  await page.getByRole('button', { name: /^\d+ new$/ }).waitFor()
  expect(await listed.count()).toBe(2)
  await page.getByRole('button', { name: 'Pause', pressed: true }).click()
  await expect.poll(() => listed.count()).toBe(3)

  // Without watched collections, the watchlist filter is hidden.
  const watchlistOnly = page.getByRole('button', { name: 'Watchlist only' })
  expect(await watchlistOnly.count()).toBe(0)
  await visitor.go(`/collection/${sent.slug}`)
  await page.getByRole('button', { name: `Watch ${sent.slug}` }).click()
  await visitor.go('/activity')
  await watchlistOnly.click()
  await page.waitForURL('**/activity?watched=true')
  await expect.poll(() => listed.count()).toBe(0)
  await page
    .getByRole('row')
    .filter({ hasText: `${sent.slug} #0` })
    .filter({ hasText: 'Transfer' })
    .waitFor()
  expect(await violations(visitor)).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})
