import { offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('shows the block, the fee rate, the unit and the balance', async () => {
  const visitor = await at.visit(at.seller, { context: { viewport: { width: 1440, height: 900 } } })
  const { page } = visitor
  await visitor.go('/how')
  const header = page.getByRole('banner')
  const height: number = await at.market.regtest.call('getblockcount')
  await header
    .getByRole('link', {
      name: new RegExp(`^Block ${height.toLocaleString('en')} Fee rate [\\d.]+ sat/vB$`),
    })
    .waitFor()
  await visitor.signIn()
  const account = page.locator('[data-account]')
  await account.getByText('BTC').waitFor()
  await header.getByRole('radio', { name: 'sats', exact: true }).check()
  await account.getByText('sats').waitFor()
  // The menu has the addresses and the sessions.
  await account.click()
  await page.getByRole('button', { name: /, copy the ordinals address$/ }).waitFor()
  await page.getByRole('button', { name: /, copy the payment address$/ }).waitFor()
  await page.getByText('Available to spend').waitFor()
  expect(await violations(visitor)).toEqual([])
  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('tab', { name: 'Sessions', selected: true }).waitFor()
  expect(await page.locator('footer').getByRole('button').count()).toBe(0)
  expect(await page.locator('footer').getByRole('combobox').count()).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})

it('offers unit and theme without a wallet on a phone', async () => {
  const visitor = await at.visit(undefined, { context: { viewport: { width: 390, height: 844 } } })
  const { page } = visitor
  await visitor.go('/how')
  await page.getByRole('button', { name: 'Display settings' }).click()
  await page.getByRole('group', { name: 'Amounts in' }).getByRole('radio', { name: 'sats' }).check()
  await page.getByLabel('Theme').selectOption('dark')
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
  expect(await violations(visitor)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  visitor.assertQuiet()
  await visitor.close()
})

it('counts unread events in the title', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const visitor = await at.enter(seller, '/how')
  const { page } = visitor
  const titled = (title: string) => expect.poll(() => page.title(), { timeout: 30_000 }).toBe(title)
  const markRead = async () => {
    await page.getByRole('button', { name: /^Notifications, \d unread/ }).click()
    await page.getByRole('button', { name: 'Mark all read' }).click()
    await page.keyboard.press('Escape')
  }
  // The sign-in of this browser is an event too.
  await titled('(1) How trading works')
  await markRead()
  await titled('How trading works')
  await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  await titled('(1) How trading works')
  await page.getByRole('banner').getByRole('link', { name: 'Trades', exact: true }).click()
  await titled('(1) Trades')
  await markRead()
  await titled('Trades')
  visitor.assertQuiet()
  await visitor.close()
})

it('links to the feeds', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 40_000)
  const visitor = await at.visit()
  const { page } = visitor
  const address = seller.wallet.ordinalsAddress
  for (const [path, feed] of [
    [`/collection/${slug}`, `/feeds/collection/${slug}.atom`],
    [`/address/${address}`, `/feeds/address/${address}.atom`],
  ] as const) {
    const alternate = `link[rel=alternate][type="application/atom+xml"][href="${feed}"]`
    const served = await (await fetch(`${market.server.url}${path}`)).text()
    expect(served).toContain(`rel="alternate" type="application/atom+xml" title="Activity" href="${feed}"`)
    await visitor.go(`${path}?tab=activity`)
    const link = page.getByRole('link', { name: 'Atom feed' })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(feed)
    await expect.poll(() => page.locator('link[rel=alternate]').count()).toBe(1)
    await page.locator(alternate).waitFor({ state: 'attached' })
    expect((await fetch(`${market.server.url}${feed}`)).status).toBe(200)
  }
  await page.getByRole('banner').getByRole('link', { name: 'Trades', exact: true }).click()
  await page.locator('link[rel=alternate]').waitFor({ state: 'detached' })
  visitor.assertQuiet()
  await visitor.close()
})

it('puts the answers to an offer into the bar of a phone', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  const visitor = await at.visit(seller, { context: { viewport: { width: 390, height: 844 } } })
  const { page } = visitor
  await visitor.go(`/inscription/${ids[0]}`)
  await visitor.signIn()
  const bar = page.locator('[data-trade-bar]')
  await bar.getByRole('button', { name: 'Accept' }).waitFor()
  expect(await page.locator('[data-trade-bar]').count()).toBe(1)
  const { y, height } = (await bar.boundingBox())!
  expect(Math.round(y + height)).toBe(844)
  const across = await Promise.all(
    ['Decline', 'Counter', 'Accept'].map(async (name) => {
      const box = (await bar.getByRole('button', { name, exact: true }).boundingBox())!
      expect(box.height).toBeGreaterThanOrEqual(44)
      return box.x
    }),
  )
  expect(across).toEqual(across.toSorted((a, b) => a - b))
  expect(await violations(visitor)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await bar.getByRole('button', { name: 'Accept' }).click()
  await page.getByRole('dialog', { name: `Sell ${slug} #0` }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
