import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { breakable } from '../support/breakable.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

async function listed() {
  const { slug, ids } = await at.market.collection(at.seller.wallet, 1)
  await listAll(at.market, at.seller, slug, ids, 20_000)
  return { slug, id: ids[0]! }
}

it('loads pages and reads that failed once the market responds', async () => {
  const first = await listed()
  const second = await listed()
  const line = await breakable(at.market.server.url)
  const visitor = await at.browser.visitor(line.url)
  const { page } = visitor
  await visitor.go(`/collection/${first.slug}`)
  await page.getByRole('article').first().waitFor()
  await page.getByRole('link', { name: 'Explore', exact: true }).first().click()
  const link = page.getByRole('link', { name: new RegExp(second.slug) }).first()
  await link.waitFor()

  // The code of the page is loaded, its data is not.
  await line.cut()
  await link.click()
  await page.getByText('Could not reach the market.').first().waitFor({ timeout: 30_000 })
  await line.mend()
  await page.getByRole('heading', { level: 1, name: second.slug }).waitFor({ timeout: 60_000 })
  await page.getByRole('article').first().waitFor({ timeout: 60_000 })

  // The code is not loaded either.
  await line.cut()
  await page.getByRole('link', { name: 'How trading works' }).click()
  await page.getByText('This page did not load').waitFor({ timeout: 30_000 })
  await page.getByText('loads again by itself once the market responds').waitFor()
  expect(await page.getByText('out of date').count()).toBe(0)
  await line.mend()
  await page.getByRole('heading', { level: 1, name: 'How trading works' }).waitFor({ timeout: 60_000 })
  await visitor.close()
  await line.cut()
})

it('names a page out of date only if the market has another version', async () => {
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/how')
  await page.route('**/assets/activity-*.js', (route) => route.abort())
  await page.route(`${at.market.server.url}/`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll(/\/assets\/index-[\w-]+\.js/g, '/assets/index-other.js')
    await route.fulfill({ response, body })
  })
  await page.getByRole('banner').getByRole('link', { name: 'Activity', exact: true }).click()
  await page.getByText('This page is out of date').waitFor({ timeout: 30_000 })
  await page.getByText('Your cart and what you typed are kept.').waitFor()
  await page.unroute('**/assets/activity-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  await visitor.close()
})

it('notices a browser without a network while connections are open', async () => {
  const { id } = await listed()
  const visitor = await at.visit()
  const { page, context } = visitor
  await visitor.go(`/inscription/${id}`)
  await page.locator('button:enabled', { hasText: 'Buy now' }).waitFor()
  await page.locator('footer').getByText('Live').waitFor()
  await context.setOffline(true)
  await page.getByText(/^Not connected\. Last update \d s ago\. Trading paused\.$/).waitFor()
  await page.locator('button:disabled', { hasText: 'Buy now' }).waitFor()
  await context.setOffline(false)
  await page.locator('button:enabled', { hasText: 'Buy now' }).waitFor({ timeout: 30_000 })
  expect(await page.getByText(/^Not connected/).count()).toBe(0)
  await visitor.close()
})

it('stays paused if a request from before the outage succeeds', async () => {
  const { id } = await listed()
  const visitor = await at.visit()
  const { page, context } = visitor
  await visitor.go(`/inscription/${id}`)
  await page.locator('button:enabled', { hasText: 'Buy now' }).waitFor()
  const held = Promise.withResolvers<() => Promise<void>>()
  await page.route('**/history?*', async (route) => {
    const response = await route.fetch()
    held.resolve(() => route.fulfill({ response }))
  })
  await page.getByRole('tab', { name: /^Price/ }).click()
  const respond = await held.promise
  await context.setOffline(true)
  await page.locator('button:disabled', { hasText: 'Buy now' }).waitFor()
  await respond()
  await page.waitForTimeout(1000)
  await page.locator('button:disabled', { hasText: 'Buy now' }).waitFor({ timeout: 1000 })
  await visitor.close()
})
