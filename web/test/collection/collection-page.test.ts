import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import type { Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { listAll, setUpMarket, setUpTrader, until } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { setUpBrowser } from '../support/browser.ts'

const market = setUpMarket()
const browser = setUpBrowser()
const seller = setUpTrader(market)

it('sorts items by the numbers in their names', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 5)
  for (const [n, name] of ['Lamp #10', 'Lamp #9', 'Lamp', 'Lamp #100', 'Lamp #1'].entries())
    await market.sql`update collection_items set item_name = ${name}, rendered_row = null where inscription_id = ${ids[n]!}`
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  const shown = () =>
    page
      .getByRole('article')
      .evaluateAll((cards) => cards.map((card) => card.querySelector('[title]')!.title))
  const byNumber = ['Lamp #1', 'Lamp #9', 'Lamp #10', 'Lamp #100', 'Lamp']
  await visitor.go(`/collection/${slug}`)
  await page.getByRole('article').nth(4).waitFor()
  await expect.poll(shown).toEqual(byNumber)
  await listAll(market, seller, slug, ids.slice(3, 4), 70_000)
  await expect.poll(shown).toEqual(['Lamp #100', 'Lamp #1', 'Lamp #9', 'Lamp #10', 'Lamp'])
  await page.getByLabel('Sort').selectOption('Number, low to high')
  await expect.poll(shown).toEqual(byNumber)
  visitor.assertQuiet()
  await visitor.close()
})

/** Maximum bytes of a read caused by an event. */
const MAX_BYTES = 5000

it("sends no request for another collection's listing", async () => {
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
    // The status is polled every 20 seconds anyway.
    if (pathname.startsWith('/web/') && !pathname.endsWith('/status')) asked.push(request)
  })

  await listAll(market, seller, other.slug, other.ids, 80_000)
  await until('the event', async () => events.some((event) => event.includes(other.slug)))
  // Events are applied in order: when this card shows its price, the other listing has been applied too.
  await listAll(market, seller, seen.slug, seen.ids.slice(0, 1), 70_000)
  await page.getByRole('article').filter({ hasText: '70,000' }).waitFor()
  await page.getByText('1 listed').waitFor()
  expect(asked.map((request) => new URL(request.url()).pathname).toSorted()).toEqual([
    `/web/v1/collections/${seen.slug}/depth`,
    `/web/v1/collections/${seen.slug}/items`,
  ])
  for (const request of asked) expect((await request.sizes()).responseBodySize).toBeLessThanOrEqual(MAX_BYTES)
  await page.locator('header dl').getByText('0.0007').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

/** Imports an unindexed collection with many trait values and a name as long as the registry's longest. */
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

it('undoes filters with Back', async () => {
  await importHats()
  const visitor = await browser.visitor(market.server.url)
  const { page } = visitor
  const total = (text: string) => page.getByText(text, { exact: true }).waitFor()
  await visitor.go('/collection/hats')
  await total('130 items')
  await page.getByText('Not indexed yet').first().waitFor()
  expect(await page.getByText('#0', { exact: true }).count()).toBe(0)

  // Values are in numeric order, and only visible rows are rendered.
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
  // Only caps have this size, so there are no berets.
  await page.getByRole('checkbox', { name: /^Beret/ }).waitFor({ state: 'detached' })
  expect(await page.getByRole('checkbox', { name: /^Cap/ }).count()).toBe(1)
  await page.getByRole('radio', { name: 'Listed', exact: true }).check()
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

const COLUMNS: Record<number, number> = { 390: 2, 820: 4, 1440: 5, 1920: 8 }

it('escapes hostile slugs and names', async () => {
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
    const wanted = COLUMNS[width]
    if (wanted) expect(await columns(), `at ${width}`).toBe(wanted)
  }
  await visitor.close()
})

it('shows filters in a sheet on a phone', async () => {
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 390, height: 844 }, hasTouch: true },
  })
  const { page } = visitor
  await visitor.go('/collection/hats')
  await page.getByRole('button', { name: 'Filters' }).click()
  const sheet = page.getByRole('dialog', { name: 'Filters' })
  await sheet.getByRole('checkbox', { name: /^Cap/ }).check()
  await sheet.getByRole('button', { name: 'Show 65 items' }).click()
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Filters 1' }).waitFor()
  await page.getByRole('button', { name: /^Kind: Cap ?, remove this filter$/ }).click()
  await page.getByText('130 items', { exact: true }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('restores the scroll position after Back', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 12)
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 390, height: 500 } },
  })
  const { page } = visitor
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/items?sort=price')) asked.push(request.url())
  })
  const scrolled = () => page.evaluate<number>('Math.round(scrollY)')
  await visitor.go(`/collection/${slug}`)
  const last = page.getByRole('article').nth(11)
  await last.scrollIntoViewIfNeeded()
  const left = await scrolled()
  expect(left).toBeGreaterThan(600)
  await last.getByRole('link').first().click()
  await page.waitForURL(`**/inscription/${ids[11]}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await scrolled()).toBe(0)
  await page.goBack()
  await last.waitFor()
  expect(await scrolled()).toBe(left)
  // The items were embedded in the document and are cached for Back.
  expect(asked).toEqual([])
  await page.reload()
  await last.waitFor()
  await expect.poll(scrolled).toBe(left)
  visitor.assertQuiet()
  await visitor.close()
})

it('reaches the first card in 14 tab stops', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 12)
  await giveHats(market, slug, ids)
  await listAll(market, seller, slug, ids.slice(0, 1), 30_000)
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 1440, height: 900 } },
  })
  const { page } = visitor
  const focused = <T>(expression: string) =>
    page.evaluate<T>(`(() => { const at = document.activeElement; return ${expression} })()`)
  await visitor.go(`/collection/${slug}`)
  await page.getByRole('checkbox', { name: /^Cap/ }).waitFor()
  await page.getByRole('article').nth(11).waitFor()
  await page.keyboard.press('Tab')
  expect(await focused('at.textContent')).toBe('Skip to content')
  const stops: string[] = []
  while (stops.length < 40) {
    await page.keyboard.press('Tab')
    if (await focused<boolean>(`at.closest('article') !== null`)) break
    stops.push(await focused<string>(`at.getAttribute('aria-label') ?? at.textContent.slice(0, 30)`))
  }
  console.log('stops before the first card:', JSON.stringify(stops))
  expect(stops.length, `${stops}`).toBeLessThanOrEqual(14)

  const card = () =>
    focused<number>(`[...document.querySelectorAll('article')].indexOf(at.closest('article'))`)
  expect(await card()).toBe(0)
  for (const [key, place] of [
    ['ArrowRight', 1],
    ['ArrowDown', 6],
    ['ArrowLeft', 5],
    ['ArrowUp', 0],
  ] as const) {
    await page.keyboard.press(key)
    expect(await card(), key).toBe(place)
  }
  // Tab continues with the current card's controls, then with the book.
  for (let n = 0; n < 4 && (await card()) === 0; n++) await page.keyboard.press('Tab')
  expect(await card()).toBe(-1)
  await page.keyboard.press('Shift+Tab')
  expect(await card()).toBe(0)

  await page.getByRole('radio', { name: 'All', exact: true }).focus()
  for (
    let n = 0;
    n < 20 && !(await focused<boolean>(`at.closest('label')?.textContent.startsWith('Cap')`));
    n++
  )
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await page.getByText('6 items', { exact: true }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('remembers the list view', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids.slice(0, 1), 40_000)
  const visitor = await browser.visitor(market.server.url, {
    context: { viewport: { width: 1440, height: 900 } },
  })
  const { page } = visitor
  await visitor.go(`/collection/${slug}`)
  await page.getByRole('radio', { name: 'List', exact: true }).check()
  const row = page.getByRole('row').filter({ hasText: `${slug} #0` })
  await row.getByText('40,000').waitFor()
  expect(await page.getByRole('columnheader').allTextContents()).toEqual([
    'Add to cart',
    'Item',
    'Rank',
    'Price',
    'Last sale',
    'Owner',
    'Listed',
  ])
  await row.getByRole('button', { name: `Add to cart: ${slug} #0` }).click()
  await row.getByRole('button', { name: `In the cart, number 1: ${slug} #0` }).waitFor()
  await page.reload()
  await row.waitFor()
  // The list is one Tab stop, with arrow keys between the rows.
  await row.getByRole('button').focus()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate(`document.activeElement.closest('tr').textContent.includes('${slug} #1')`)).toBe(
    true,
  )
  expect(await violations(visitor)).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})
