import { bid, buy, offer, propose } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { coinsOf, offering } from '../../../e2e/support/offers.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
const WIDE = { context: { viewport: { width: 1440, height: 900 } } }

it('shows only figures with data, and names the best trait bid', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 4)
  await giveHats(market, slug, ids)
  const visitor = await at.visit(undefined, WIDE)
  const { page } = visitor
  const facts = page.locator('header dl > div')
  const labels = async () => (await facts.allTextContents()).map((text) => text.replace(/[\d−+].*/, ''))
  await visitor.go(`/collection/${slug}`)
  await facts.first().waitFor()
  expect(await labels()).toEqual(['Listed', 'Owners'])
  expect(await page.locator('header dl').textContent()).not.toContain('–')
  await page.getByRole('tab', { name: 'Offers 0' }).waitFor()

  await listAll(market, seller, slug, ids.slice(0, 1), 50_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  await market.mine()
  await listAll(market, seller, slug, ids.slice(1, 2), 50_000)
  const [one, other] = await coinsOf(market, buyer)
  await bid(buyer, slug, { target: { kind: 'all' }, priceSats: 40_000, coins: [one!] })
  const caps = { kind: 'traits', traits: [{ type: 'Hat', values: ['Cap'] }] } as const
  await bid(buyer, slug, { target: caps, priceSats: 45_000, coins: [other!] })
  await visitor.go(`/collection/${slug}`)
  const fact = (label: string) => facts.filter({ hasText: label }).textContent()
  await page.getByText('Best trait bid').waitFor()
  expect(await fact('Top offer')).toBe('Top offer0.0004 BTC−20.0%')
  expect(await fact('Best trait bid')).toBe('Best trait bid0.00045 BTCHat: Cap')
  expect(await fact('Last sale')).toMatch(/^Last sale0\.0005 BTC/)
  expect(await fact('Listed')).toBe('Listed125.0%')
  expect(await page.getByRole('tab').allTextContents()).toEqual([
    'Items 4',
    'Offers 2',
    'Activity',
    'Analytics',
    'Holders 2',
    'Trades 0',
    'About',
  ])
  // The figures are to the right of the name.
  const [heading, first] = await Promise.all([
    page.getByRole('heading', { level: 1 }).boundingBox(),
    facts.first().boundingBox(),
  ])
  expect(first!.x).toBeGreaterThan(heading!.x + heading!.width / 2)
  expect(Math.abs(first!.y - heading!.y)).toBeLessThan(30)
  expect(await violations(visitor)).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})

it('shows the same banner in each tab', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 9)
  await listAll(market, seller, slug, ids.slice(4, 5), 50_000)
  const visitor = await at.visit(undefined, WIDE)
  const { page } = visitor
  const banner = () =>
    page
      .locator('header [aria-hidden="true"] img')
      .evaluateAll((images) => images.map((image) => image.getAttribute('src')))
  await visitor.go(`/collection/${slug}`)
  await expect.poll(async () => (await banner()).length).toBe(8)
  const shown = await banner()
  const reads: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/items?')) reads.push(request.url())
  })
  for (const tab of ['offers', 'activity', 'analytics', 'holders', 'trades', 'about']) {
    await visitor.go(`/collection/${slug}?tab=${tab}`)
    await page.getByRole('tab', { selected: true, name: new RegExp(tab, 'i') }).waitFor()
    expect(await banner(), tab).toEqual(shown)
  }
  // The document embeds the items.
  expect(reads).toEqual([])
  await visitor.go(`/collection/${slug}?listed=true`)
  await expect.poll(banner).toEqual(shown)
  // An event refetches the grid, not the banner.
  reads.length = 0
  await listAll(market, seller, slug, ids.slice(5, 6), 60_000)
  await expect.poll(() => page.getByRole('article').count()).toBe(2)
  expect(reads.filter((url) => !url.includes('listed=true'))).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})

it('shows the items for an unknown tab and corrects the address', async () => {
  const { slug } = await at.market.collection(at.seller.wallet, 1)
  const visitor = await at.visit(undefined, WIDE)
  const { page } = visitor
  await visitor.go('/how')
  await visitor.go(`/collection/${slug}?tab=charts&sort=oldest`)
  await page.waitForURL(`**/collection/${slug}?sort=oldest`)
  await page.getByRole('tab', { name: 'Items', selected: true }).waitFor()
  await page.goBack()
  await page.waitForURL('**/how')
  visitor.assertQuiet()
  await visitor.close()
})

it('filters items with an offer, and shows open trades and the description', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await market.sql`update collections set description = 'Lamps of a harbour.', seller_royalty_bps = 500 where slug = ${slug}`
  await offer(buyer, slug, await offering(market, buyer, ids.slice(1, 2), 20_000))
  await propose(await traderAtStorefront(market.server.url, seller.wallet), {
    visibility: 'public',
    offeredInscriptionIds: ids.slice(0, 1),
    wantedLegs: [],
    offeredBtcSats: 0,
    requestedBtcSats: 60_000,
  })
  const visitor = await at.visit(undefined, WIDE)
  const { page } = visitor
  await visitor.go(`/collection/${slug}`)
  await page.getByRole('article').nth(2).waitFor()
  await page.getByRole('radio', { name: 'Has offer' }).check()
  await page.waitForURL('**?offered=true')
  await page.getByText('1 item', { exact: true }).waitFor()
  await page.getByRole('article').filter({ hasText: '#1' }).waitFor()
  await page.getByRole('radio', { name: 'All', exact: true }).check()
  await page.getByText('3 items', { exact: true }).waitFor()

  const parts: [tab: string, text: string][] = [
    ['Trades 1', 'Trades that offer or request items of this collection.'],
    ['About', '5%, paid by the seller'],
  ]
  for (const [tab, text] of parts) {
    await page.getByRole('tab', { name: tab, exact: true }).click()
    await page.getByText(text).waitFor()
    for (const width of [390, 820, 1440, 1920]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), tab).toBe(true)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await violations(visitor), `${tab}, ${width}, ${colorScheme}`).toEqual([])
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  await page.getByText('Lamps of a harbour.').last().waitFor()
  await page.getByRole('tab', { name: 'Trades 1' }).click()
  await page.getByRole('link', { name: 'Propose a trade' }).click()
  await page.waitForURL(`**/trades/new?with=${slug}`)
  visitor.assertQuiet()
  await visitor.close()
})
