import { buy, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { importCollection } from '../../../e2e/previews/support/collection.ts'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
const WIDE = { context: { viewport: { width: 1440, height: 900 } } }

it('shows the sections of an item in tabs', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  await offer(buyer, slug, await offering(market, buyer, ids, 30_000))
  const visitor = await at.visit(undefined, WIDE)
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  const tabs = page.getByRole('tablist', { name: 'About this item' })
  await tabs.getByRole('tab', { name: 'Offers 1' }).waitFor()
  expect(await tabs.getByRole('tab').allTextContents()).toEqual([
    'Activity',
    'Offers 1',
    'Price',
    'Provenance 1',
    'Details',
  ])
  // The rows repeat neither picture nor name, and each kind of event has a word.
  const panel = page.getByRole('tabpanel')
  await panel.getByText('Listed', { exact: true }).waitFor()
  expect(await panel.getByRole('img').count()).toBe(0)
  expect(await panel.getByText(`${slug} #0`).count()).toBe(0)
  await tabs.getByRole('tab', { name: 'Activity' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.waitForURL('**?tab=offers')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Offers 1')
  await panel.getByText('0.0003').waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await panel.getByText('Content type').waitFor()
  await page.reload()
  await panel.getByText('Content type').waitFor()
  await visitor.go(`/inscription/${ids[0]}?tab=charts`)
  await page.getByRole('tabpanel', { name: 'Activity' }).waitFor()
  await page.waitForURL(`**/inscription/${ids[0]}`)
  for (const width of [390, 820]) {
    await page.setViewportSize({ width, height: 900 })
    await panel.scrollIntoViewIfNeeded()
    for (const word of ['Listed', 'Offer']) {
      const box = await panel.getByText(word, { exact: true }).boundingBox()
      expect(box!.width, `${word} at ${width}`).toBeGreaterThan(20)
    }
    expect(await violations(visitor)).toEqual([])
  }
  visitor.assertQuiet()
  await visitor.close()
})

it('links the previous and the next item', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const visitor = await at.visit(undefined, WIDE)
  const { page } = visitor
  const place = page.getByRole('navigation', { name: 'Neighbouring items' })
  await visitor.go(`/inscription/${ids[1]}`)
  await place.getByText('Item 2 of 3').waitFor()
  await page.keyboard.press(']')
  await page.waitForURL(`**/inscription/${ids[2]}`)
  await place.getByText('Item 3 of 3').waitFor()
  expect(await place.getByRole('link').count()).toBe(1)
  await place.getByRole('link', { name: `Previous: ${slug} #1` }).click()
  await page.waitForURL(`**/inscription/${ids[1]}`)
  // After a list, the place is that in the list.
  await listAll(market, seller, slug, ids.slice(2), 40_000)
  await visitor.go(`/collection/${slug}?listed=true`)
  await page.getByRole('article').getByRole('link').first().click()
  await place.getByText('Item 1 of 1').waitFor()
  expect(await place.getByRole('link').count()).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})

it('offers no purchase of an item that is being bought', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const visitor = await at.enter(buyer, `/inscription/${ids[0]}`)
  const { page } = visitor
  await page.setViewportSize({ width: 1440, height: 900 })
  const actions = page.getByRole('button', { name: /^(Buy now|Make offer|Add to cart|In the cart)$/ })
  await expect.poll(() => actions.count()).toBe(3)
  const buyNow = page.getByRole('button', { name: 'Buy now' })
  const [button, panel] = await Promise.all([
    buyNow.boundingBox(),
    page.getByRole('region', { name: 'Trade', exact: true }).boundingBox(),
  ])
  // The rest is the cart's icon and the padding.
  expect(button!.width).toBeGreaterThan(panel!.width - 110)

  // The market receives the purchase and its response is late.
  let release: () => void = () => {}
  const late = new Promise<void>((done) => (release = done))
  await page.route('**/purchases/submit', async (route) => {
    const response = await route.fetch()
    await late
    await route.fulfill({ response })
  })
  await buyNow.click()
  await visitor.confirm()
  await page.getByText('Send, now').waitFor()
  await expect.poll(() => actions.count()).toBe(0)
  release()
  await visitor.told(/Bought in/)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.getByText('Nothing to do: the sale is being completed').waitFor()
    expect(await actions.count(), `at ${width}`).toBe(0)
    expect(await violations(visitor)).toEqual([])
  }
  // Others cannot buy it either.
  const other = await at.visit()
  await other.go(`/inscription/${ids[0]}`)
  await other.page.getByText('Nothing to do: the sale is being completed').waitFor()
  expect(await other.page.getByRole('button', { name: /^(Buy now|Make offer|Add to cart)$/ }).count()).toBe(0)
  await other.close()
  await market.mine()
  await page.getByRole('button', { name: 'List for sale' }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('reports content that does not respond', async () => {
  const { market, seller } = at
  const { ids } = await importCollection(market, seller.wallet, [
    { contentType: 'text/html', body: '<body style="background:green">' },
    { contentType: 'model/gltf-binary', body: 'glTF' },
  ])
  const visitor = await at.visit(undefined, { context: { ...WIDE.context, colorScheme: 'dark' } })
  const { page } = visitor
  const content = `**/content/${ids[0]}`
  await page.route(content, (route) => route.abort('connectionrefused'))
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByText('Content does not respond').waitFor()
  expect(await page.locator('iframe').count()).toBe(0)
  expect(await violations(visitor)).toEqual([])
  await page.unroute(content)
  await page.getByRole('button', { name: 'Run again' }).click()
  const frame = page.locator('iframe')
  const opacity = () => page.evaluate<string>(`getComputedStyle(document.querySelector('iframe')).opacity`)
  await frame.waitFor()
  await expect.poll(opacity).toBe('1')
  await page.getByText('Content does not respond').waitFor({ state: 'detached' })

  // The frame stays invisible while the content is late.
  await page.route(content, (route) => (route.request().method() === 'HEAD' ? route.continue() : undefined))
  await page.goto(`${visitor.origin}/inscription/${ids[0]}`, { waitUntil: 'commit' })
  await frame.waitFor({ state: 'attached' })
  expect(await opacity()).toBe('0')
  await page.getByText('Content does not respond').waitFor({ timeout: 20_000 })
  await page.unroute(content)

  // A browser would download it.
  await visitor.go(`/inscription/${ids[1]}`)
  await page.getByText('A browser cannot show model/gltf-binary here').waitFor()
  expect(await frame.count()).toBe(0)
  await visitor.close()
})

it('explains an unknown item or collection', async () => {
  const { slug } = await at.market.collection(at.seller.wallet, 1)
  const unknown = `${'ab'.repeat(32)}i0`
  const visitor = await at.visit()
  const { page } = visitor
  const statusOf = async (path: string) =>
    (await fetch(`${at.market.server.url}${path}`, { headers: { accept: 'text/html' } })).status
  // Slugs of tests begin with the same word.
  const mistyped = `${slug.split('-')[0]}-unknown`
  for (const [path, title, heading] of [
    [`/collection/${mistyped}`, 'Collection not found', `No collection named “${mistyped}”`],
    [`/inscription/${unknown}`, 'Inscription not found', 'No inscription with this id'],
    ['/inscription/nonsense', 'Inscription not found', 'No inscription with this id'],
  ] as const) {
    expect(await statusOf(path), path).toBe(404)
    await visitor.go(path)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    expect(await page.title()).toBe(title)
    await page.locator('main').getByRole('link').waitFor()
    expect(await violations(visitor), path).toEqual([])
  }
  await visitor.go(`/collection/${mistyped}`)
  await page.getByText('Did you mean').getByRole('link').click()
  await page.getByRole('article').first().waitFor()
  await visitor.go('/collection/zzzz')
  await page.locator('main').getByRole('link', { name: 'Explore collections' }).waitFor()
  await visitor.close()
})

it('leaves the purchase to the first buyer', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const visitor = await at.visit(undefined, WIDE)
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByRole('button', { name: 'Buy now' }).waitFor()
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await page.getByRole('button', { name: 'Buy now' }).waitFor({ state: 'detached' })
  await page.getByText('Nothing to do: the sale is being completed').waitFor()
  await market.mine()
  await page.getByRole('button', { name: 'Make offer' }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
