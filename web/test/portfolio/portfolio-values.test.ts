import { bid, buy } from '@ordbook/sdk/index.ts'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { agreementFor, listAll, until } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

const satsIn = (text: string | null | undefined, pattern = /([\d.]+) BTC/) =>
  Math.round(Number(pattern.exec(text ?? '')?.[1] ?? 0) * 1e8)
const panel = (page: Page) => page.getByRole('region', { name: 'Value of your items' })
const shown = async (page: Page, label: string) =>
  satsIn(await panel(page).getByText(label, { exact: true }).locator('..').textContent())
const sumOf = async (cards: Locator, pattern: RegExp) =>
  (await cards.allTextContents()).reduce((sum, text) => sum + satsIn(text, pattern), 0)

it('shows the total of all cards', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids.slice(0, 1), 900_000)
  const coins = await coinsOf(market, buyer)
  await bid(buyer, slug, { target: { kind: 'all' }, priceSats: 500_000, coins })
  const visitor = await at.enter(seller, '/wallet')
  const { page } = visitor
  const cards = page.getByRole('article')
  await until('offers on the cards', async () => {
    return (await cards.getByRole('button', { name: /^Sell now/ }).count()) === ids.length
  })
  const measures = [
    ['Estimated value', 'By estimated value', ids.length * 900_000],
    ['Floor', 'By floor', ids.length * 900_000],
    ['Best bid', 'By best bid', ids.length * 500_000],
  ] as const
  for (const [name, label, sats] of measures) {
    await panel(page).getByRole('button', { name, exact: true }).click()
    await panel(page).getByRole('button', { name, exact: true, pressed: true }).waitFor()
    expect(await sumOf(cards, new RegExp(`${name} ([\\d.]+) BTC`))).toBe(sats)
    expect(await shown(page, label)).toBe(sats)
  }
  // The measure is stored in the browser.
  await page.reload()
  await panel(page).getByRole('button', { name: 'Best bid', exact: true, pressed: true }).waitFor()
  await cards
    .filter({ hasText: `${slug} #1` })
    .getByRole('button', { name: /^Sell now/ })
    .click()
  await page
    .getByRole('dialog', { name: `Sell ${slug} #1` })
    .getByText('0.005 BTC')
    .first()
    .waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('shows the realised profit', async () => {
  const { market, seller } = at
  const owner = await market.trader()
  const bought = await market.collection(seller.wallet, 2)
  const inscribed = await market.collection(owner.wallet, 1)
  await listAll(market, seller, bought.slug, bought.ids, 100_000)
  await buy(owner, bought.slug, await agreementFor(market, owner, bought.ids))
  await market.mine()
  await listAll(market, owner, bought.slug, bought.ids.slice(0, 1), 202_000)
  const visitor = await at.enter(owner, '/wallet')
  const { page } = visitor
  const card = (name: string) => page.getByRole('article').filter({ hasText: name })
  // Cost 0.00101 including the 1% fee, floor 0.00202.
  await card(`${bought.slug} #1`).getByText('+100.0% on cost').waitFor()
  await panel(page).getByText('1 cost unknown').waitFor()
  expect(await shown(page, 'Cost')).toBe(202_000)
  expect(await shown(page, 'Unrealised profit')).toBe(202_000)

  await card(`${inscribed.slug} #0`)
    .getByRole('button', { name: /^Cost unknown/ })
    .click()
  const dialog = page.getByRole('dialog', { name: `Cost of ${inscribed.slug} #0` })
  await dialog.getByLabel('Cost in BTC').fill('0.0005')
  await dialog.getByRole('button', { name: 'Save the cost' }).click()
  await card(`${inscribed.slug} #0`).getByText('Cost 0.0005 BTC').waitFor()
  expect(await shown(page, 'Cost')).toBe(252_000)
  await page.reload()
  await card(`${inscribed.slug} #0`)
    .getByRole('button', { name: /^Cost 0.0005 BTC/ })
    .click()
  await dialog.getByRole('button', { name: 'Remove the cost' }).click()
  await panel(page).getByText('1 cost unknown').waitFor()

  // Sold for 0.00202 minus 1%, after a cost of 0.00101.
  await buy(seller, bought.slug, await agreementFor(market, seller, bought.ids.slice(0, 1)))
  await market.mine()
  await page.reload()
  await panel(page).getByText('1 sale').waitFor()
  expect(await shown(page, 'Realised, 30 d')).toBe(202_000 - 2020 - 101_000)
  visitor.assertQuiet()
  await visitor.close()
})

it('filters by collection', async () => {
  const { market } = at
  const owner = await market.trader()
  const [one, two] = [await market.collection(owner.wallet, 2), await market.collection(owner.wallet, 1)]
  const visitor = await at.enter(owner, '/wallet')
  const { page } = visitor
  const cards = page.getByRole('article')
  await page.getByRole('button', { name: 'All 3', pressed: true }).waitFor()
  await page.getByRole('button', { name: `${one.slug} Unverified 2` }).click()
  await expect.poll(() => cards.count()).toBe(2)
  await panel(page).getByText('Of the 2 items below').waitFor()
  expect(page.url()).toContain(`collection=${one.slug}`)
  await page.getByRole('button', { name: `${two.slug} Unverified 1` }).click()
  await cards.filter({ hasText: `${two.slug} #0` }).waitFor()
  await page.goBack()
  await page.goBack()
  await expect.poll(() => cards.count()).toBe(3)
  await visitor.go('/wallet?collection=nothing-here')
  await page.getByRole('button', { name: 'All 3', pressed: true }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('offers selected items in a swap', async () => {
  const { market } = at
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 3)
  await listAll(market, owner, slug, ids.slice(0, 1), 80_000)
  const visitor = await at.visit(owner, { context: PHONE })
  const { page } = visitor
  await visitor.go('/wallet')
  await visitor.signIn()
  for (const n of [0, 1]) await page.getByLabel(`Choose ${slug} #${n}`).check()
  const bar = page.getByRole('region', { name: 'Your selection' })
  await bar.getByRole('button', { name: 'List 2', exact: true }).waitFor()
  const [above, below] = [await bar.boundingBox(), await page.locator('[data-page-bar]').boundingBox()]
  expect(above!.y + above!.height).toBeLessThanOrEqual(below!.y)
  expect(above!.x).toBeGreaterThanOrEqual(0)
  expect(above!.x + above!.width).toBeLessThanOrEqual(390)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await bar.getByRole('button', { name: 'Clear' }).click()
  await bar.waitFor({ state: 'detached' })
  for (const n of [1, 2]) await page.getByLabel(`Choose ${slug} #${n}`).check()
  await bar.getByRole('button', { name: 'Offer in a trade' }).click()
  await page.getByText('2 items chosen').waitFor()
  await page.getByRole('button', { name: `Remove ${slug} #2` }).click()
  await page.getByText('1 item chosen').waitFor()
  await page.goBack()
  await page.getByLabel(`Choose ${slug} #0`).check()
  await bar.getByRole('button', { name: 'Delist 1' }).click()
  await visitor.told('The items are no longer for sale.')
  visitor.assertQuiet()
  await visitor.close()
})
