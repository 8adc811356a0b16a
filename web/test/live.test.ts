import type { Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAll, startMarket, type TestMarket, type TestTrader, until } from '../../e2e/support/market.ts'
import { startBrowser } from './support/browser.ts'

/** The requests that an event of the market costs a visitor. */
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
