import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/server/collections/load.ts'
import type { Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAll, startMarket, type TestMarket, type TestTrader, until } from '../../e2e/support/market.ts'
import { startBrowser } from './support/browser.ts'

/** The page of a collection: the requests that an event costs, filters and Back, and data as long as the registry's. */
let market: TestMarket
let browser: Awaited<ReturnType<typeof startBrowser>>
let seller: TestTrader
beforeAll(async () => {
  market = await startMarket()
  browser = await startBrowser()
  seller = await market.trader()
})
afterAll(async () => {
  await browser?.close()
  await market?.stop()
})

/** Most bytes of a read that an event costs. */
const MOST_BYTES = 5000

it('costs a visitor of another collection no request to list an inscription, and one small read to list one in view', async () => {
  const seen = await market.collection(seller.wallet, 2)
  const other = await market.collection(seller.wallet, 1)
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  await visitor.go(`/collection/${seen.slug}`)
  await page.getByText('Not listed').nth(1).waitFor()
  const events: string[] = []
  await page.exposeFunction('sawEvent', (data: string) => void events.push(data))
  await page.evaluate(
    `new Promise((ready, fail) => {
      const source = new EventSource('/events')
      source.addEventListener('listing', ({ data }) => sawEvent(data))
      source.addEventListener('hello', ready)
      source.onerror = fail
    })`,
  )
  const asked: Request[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    // The status is read every 20 seconds anyway.
    if (pathname.startsWith('/web/') && !pathname.endsWith('/status')) asked.push(request)
  })

  await listAll(market, seller, other.slug, other.ids, 80_000)
  await until('the event', async () => events.some((each) => each.includes(other.slug)))
  // Events are applied in order: once this card shows its price, the other listing has been applied too.
  await listAll(market, seller, seen.slug, seen.ids.slice(0, 1), 70_000)
  await page.getByRole('article').filter({ hasText: '0.0007' }).waitFor()
  expect(asked.map((request) => new URL(request.url()).pathname)).toEqual([
    `/web/v1/collections/${seen.slug}/items`,
  ])
  const { responseBodySize } = await asked[0]!.sizes()
  expect(responseBodySize).toBeLessThanOrEqual(MOST_BYTES)
  // The floor of the head came with an event.
  await page.locator('header dl').getByText('0.0007').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

/** Imports a collection that the index has not seen: one name as long as the longest of the registry, and many values. */
async function importHats(): Promise<void> {
  const folder = join(market.dataDir, 'hats')
  mkdirSync(join(folder, 'hats'), { recursive: true })
  writeFileSync(join(folder, 'hats', 'meta.json'), JSON.stringify({ name: 'Hats', slug: 'hats' }))
  const items = Array.from({ length: 130 }, (_, n) => ({
    id: `${randomBytes(32).toString('hex')}i0`,
    meta: {
      name: n === 0 ? 'Very'.repeat(306) : `Hat ${n}`,
      attributes: [
        { trait_type: 'Kind', value: n % 2 === 0 ? 'Cap' : 'Beret' },
        { trait_type: 'Size', value: String(n) },
      ],
    },
  }))
  writeFileSync(join(folder, 'hats', 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(market.sql, folder, { now: new Date() })
}

it('undoes filters one by one with Back, counts traits under the other filters, and shows long lists in part', async () => {
  await importHats()
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  const total = (text: string) => page.getByText(text, { exact: true }).waitFor()
  await visitor.go('/collection/hats')
  await total('130 items')
  await page.getByText('Not indexed yet').first().waitFor()
  expect(await page.getByText('#0', { exact: true }).count()).toBe(0)

  // In the natural order of numbers, and only as many rows as the list shows.
  const sizes = page.getByRole('group').filter({ has: page.getByText('Size', { exact: false }) })
  const shown = await sizes.getByRole('checkbox').count()
  expect(shown).toBeGreaterThan(8)
  expect(shown).toBeLessThan(50)
  await page.getByLabel('Search Size').fill('12')
  await expect.poll(() => sizes.getByRole('checkbox').count()).toBe(12)

  await page.getByRole('checkbox', { name: /^Cap/ }).check()
  await total('65 items')
  await page.getByRole('checkbox', { name: /^12 0|^120/ }).check()
  await total('1 item')
  // Only a cap has this size, so no beret is left.
  await page.getByRole('checkbox', { name: /^Beret ?0$/ }).waitFor()
  await page.getByLabel('For sale only').check()
  await total('0 items')
  await page.goBack()
  await total('1 item')
  await page.goBack()
  await total('65 items')
  await page.goBack()
  await total('130 items')
  expect(new URL(page.url()).pathname).toBe('/collection/hats')
  visitor.assertQuiet()
  await visitor.close()
})

it('shows the collection whatever its address and its names hold', async () => {
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  for (const search of [
    '?traits=["x"]',
    '?traits={"Kind":"Cap"}',
    '?min={}&max="x"&sort=7&tab=[1]',
    '?traits={',
  ]) {
    await visitor.go(`/collection/hats${search}`)
    await page.getByText('130 items', { exact: true }).waitFor()
  }
  const columns = () =>
    page.getByRole('article').evaluateAll((cards) => {
      const tops = cards.map((card) => card.getBoundingClientRect().top)
      return tops.filter((top) => top === tops[0]).length
    })
  for (const width of [320, 390, 820, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await visitor.go('/collection/hats?sort=oldest')
    await page.getByText('VeryVery').first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width}`).toBeLessThanOrEqual(
      width,
    )
    if (width === 390) expect(await columns()).toBe(2)
    if (width === 820) expect(await columns()).toBe(4)
  }
  await visitor.close()
})
