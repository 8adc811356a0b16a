import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { beforeAll, expect, it } from 'vitest'
import { listAll, setUpMarket, until } from '../../../e2e/support/market.ts'
import { setUpBrowser } from '../support/browser.ts'

const LONG_NAME = `🍓${'uhgood'.repeat(204)}`
const UNSEEN = `${'ab'.repeat(32)}i0`
const SLUG = 'gm-names'

const market = setUpMarket()
const browser = setUpBrowser()
let ids: string[]
beforeAll(async () => {
  const owner = await market.trader()
  ids = await market.regtest.inscribe(
    Array.from({ length: 2 }, () => ({
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode(randomUUID()) },
      owner: owner.wallet.ordinalsScript,
      postageSats: 10_000,
    })),
  )
  const folder = join(market.dataDir, 'collections')
  mkdirSync(join(folder, SLUG), { recursive: true })
  const attributes = [{ trait_type: 'x'.repeat(80), value: 'y'.repeat(300) }]
  const names = [LONG_NAME, `Keeper #2207`, 'Unseen #1']
  writeFileSync(join(folder, SLUG, 'meta.json'), JSON.stringify({ name: 'GM Names', slug: SLUG }))
  writeFileSync(
    join(folder, SLUG, 'inscriptions.json'),
    JSON.stringify([...ids, UNSEEN].map((id, n) => ({ id, meta: { name: names[n], attributes } }))),
  )
  await loadCollections(market.sql, folder, { now: new Date() })
  await market.mine()
  await listAll(market, owner, SLUG, ids, 1_840_000)
}, 180_000)

it.each([320, 390, 820, 1440, 1920])('fits a long name at %i px', async (width) => {
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width, height: 844 } },
  })
  const { page } = visitor
  expect(LONG_NAME.length).toBeGreaterThanOrEqual(1225)
  for (const [path, name] of [
    ['/', 'Trade Bitcoin ordinals'],
    [`/collection/${SLUG}`, 'GM Names'],
    [`/inscription/${ids[0]}`, 'uhgood'],
    ['/activity', 'Activity'],
    ['/how', 'How trading works'],
  ] as const) {
    await visitor.go(path)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    if (path.startsWith('/collection/')) await page.getByRole('article').nth(1).waitFor()
    const over = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(over, path).toBeLessThanOrEqual(0)
  }
  const header = await page.locator('header').first().boundingBox()
  expect(Math.floor(header!.height)).toBe(width < 600 ? 57 : 61)
  visitor.assertQuiet()
  await visitor.close()
})

it.each([
  [390, 844],
  [820, 1180],
])('shows the buy button without scrolling at %i x %i', async (width, height) => {
  const visitor = await browser.visitor(market.server.url, { context: { viewport: { width, height } } })
  const { page } = visitor
  await visitor.go(`/inscription/${ids[1]}`)
  for (const name of ['Buy now', 'Make offer']) {
    const button = page.getByRole('button', { name })
    await button.waitFor()
    const box = (await button.boundingBox())!
    expect(box.y).toBeGreaterThan(0)
    expect(box.y + box.height).toBeLessThanOrEqual(height)
  }
  await visitor.close()
})

it('opens the ticket as a sheet on a phone', async () => {
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 390, height: 844 }, hasTouch: true },
  })
  const { page } = visitor
  await page.addInitScript(
    `globalThis.shifts = 0; new PerformanceObserver((list) => { for (const each of list.getEntries()) shifts += each.value }).observe({ type: 'layout-shift', buffered: true })`,
  )
  await visitor.go(`/inscription/${ids[1]}`)
  const bar = page.locator('[data-trade-bar]')
  await bar.getByText('0.0184').waitFor()
  expect(await bar.getByRole('button').allTextContents()).toEqual(['Make offer', 'Buy now'])
  expect(await bar.getByText('You pay').count()).toBe(0)
  const { y, height } = (await bar.boundingBox())!
  expect(height).toBeLessThanOrEqual(130)
  expect(Math.round(y + height)).toBe(844)
  await page.getByLabel('To compare').getByText('Floor', { exact: true }).waitFor()
  expect(await page.evaluate<number>('shifts')).toBeLessThan(0.02)

  await bar.getByRole('button', { name: 'Buy now' }).tap()
  const sheet = page.getByRole('dialog', { name: 'Buy Keeper #2207' })
  await sheet.getByText('You pay').waitFor()
  await sheet.getByText('Not verified by this market').waitFor()
  const action = (await sheet.getByRole('button', { name: 'Buy now' }).boundingBox())!
  expect(action.y + action.height).toBeLessThanOrEqual(844)
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Buy now')
  await bar.getByRole('button', { name: 'Make offer' }).tap()
  await page.getByRole('dialog', { name: 'Offer for Keeper #2207' }).getByLabel('Your offer in BTC').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('focuses the heading of each page', async () => {
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  const isAt = (title: string) =>
    until(title, () =>
      page.evaluate<boolean>(`document.title === '${title}' && document.activeElement.matches('h1')`),
    )
  await visitor.go(`/inscription/${ids[1]}`)
  await until('the title', async () => (await page.title()) === 'Keeper #2207, GM Names')
  await page.getByRole('link', { name: 'Trades' }).first().click()
  await isAt('Trades')
  await page.getByRole('link', { name: 'How trading works' }).click()
  await isAt('How trading works')
  await page.goBack()
  await isAt('Trades')
  // The document contains the title for clients that run no scripts.
  for (const path of ['/', '/how', '/market', '/activity', `/collection/${SLUG}`, `/inscription/${ids[1]}`]) {
    const document = await (await fetch(`${market.server.url}${path}`)).text()
    await visitor.go(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    expect(document, path).toContain(`<title>${await page.title()}</title>`)
  }
  visitor.assertQuiet()
  await visitor.close()
})

it.each(['["x"]', '{"a":"b"}', '{"Glow":"amber"}', '{"a":{"b":[1]}}', '7'])(
  'ignores the malformed filter %s',
  async (traits) => {
    const visitor = await browser.visitor(market.server.url)
    await visitor.go(`/collection/${SLUG}?traits=${encodeURIComponent(traits)}&min=x&sort[]=1&tab=nothing`)
    await visitor.page.getByRole('article').nth(1).waitFor()
    visitor.assertQuiet()
    await visitor.close()
  },
)

it('offers a retry if a page fails to load', async () => {
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  await visitor.go('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.route('**/assets/activity-*.js', (route) => route.abort())
  await visitor.go('/activity')
  await page.getByText('This page did not load').waitFor()
  await page.getByRole('button', { name: /^Collections, items/ }).waitFor()
  await page.unroute('**/assets/activity-*.js')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  await visitor.close()
})

it('contains an error in its part of the page', async () => {
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  await page.route('**/web/v1/inscriptions/*/offers*', (route) => route.fulfill({ json: {} }))
  await visitor.go(`/inscription/${ids[1]}?tab=offers`)
  await page.getByText('The market sent an invalid response').waitFor()
  expect(await page.getByRole('button', { name: 'Buy now' }).count()).toBeGreaterThan(0)
  await visitor.close()
})

it('shows one message per subject', async () => {
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 390, height: 844 } },
  })
  const { page } = visitor
  await visitor.go(`/collection/${SLUG}`)
  await page.getByRole('article').nth(1).waitFor()
  // Other tests keep messages until they are dismissed.
  await page.evaluate(`localStorage.removeItem('messages')`)
  const messages = page.locator('[data-tone]')
  const dismiss = messages.getByRole('button', { name: 'Dismiss' })
  const sweep = page.getByRole('button', { name: 'Add the cheapest' })
  const reads = '**/web/v1/collections/*/items*'
  await page.route(reads, (route) => route.abort())
  await sweep.click()
  await page.locator('[data-tone="bad"]').waitFor({ timeout: 30_000 })
  const box = (await messages.boundingBox())!
  expect(box.x).toBeGreaterThanOrEqual(0)
  expect(box.x + box.width).toBeLessThanOrEqual(390)
  const { width, height } = (await dismiss.boundingBox())!
  expect([width, height].map(Math.round)).toEqual([44, 44])
  await page.waitForTimeout(7000)
  expect(await messages.count()).toBe(1)
  await page.unroute(reads)
  await page.route(reads, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), items: [] } })
  })
  await sweep.click()
  await page.locator('[data-tone="note"]').waitFor()
  expect(await messages.count()).toBe(1)
  await messages.waitFor({ state: 'detached' })
  await visitor.close()
})

it('shows placeholders before scripts load', async () => {
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  const places = page.locator('.pulse').locator('visible=true')
  let release: () => void = () => {}
  const slow = new Promise<void>((done) => (release = done))
  await page.route('**/assets/*.js', async (route) => {
    await slow
    await route.continue()
  })
  await page.goto(`${market.server.url}/collection/${SLUG}`, { waitUntil: 'commit' })
  await places.first().waitFor()
  expect(await places.count()).toBeGreaterThanOrEqual(3)
  await page.locator('img[src="/favicon.svg"]').waitFor()
  release()
  await page.getByRole('article').nth(1).waitFor()
  // Delays the reads of a page that is opened from here.
  let answer: () => void = () => {}
  const read = new Promise<void>((done) => (answer = done))
  await page.route('**/web/v1/activity*', async (route) => {
    await read
    await route.continue()
  })
  await page.getByRole('link', { name: 'Activity', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  await places.first().waitFor()
  answer()
  await places.first().waitFor({ state: 'detached' })
  await visitor.close()
})
