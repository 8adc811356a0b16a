import { bid } from '@ordbook/sdk/index.ts'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { listAll } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

const rowOf = (page: Page, name: RegExp) => page.getByRole('button', { name })

it('buys up to a price from the book', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 5)
  await giveHats(market, slug, ids)
  const maker = await market.trader()
  for (const [n, price] of [30_000, 40_000, 40_000, 60_000].entries())
    await listAll(market, seller, slug, [ids[n]!], price)
  const [coin] = await coinsOf(market, maker)
  const caps = { kind: 'traits', traits: [{ type: 'Hat', values: ['Cap'] }] } as const
  await bid(maker, slug, { target: { kind: 'all' }, priceSats: 15_000, coins: [coin!] })
  await bid(maker, slug, { target: caps, priceSats: 20_000, coins: [coin!] })

  const visitor = await at.enter(await market.trader())
  const { page } = visitor
  await page.setViewportSize({ width: 1440, height: 900 })
  await visitor.go(`/collection/${slug}`)
  const book = page.getByRole('region', { name: 'Order book' })
  await book.getByText('4 listed · 2 offers').waitFor()
  const named = (name: string) =>
    book
      .getByRole('list', { name })
      .getByRole('button')
      .evaluateAll((rows) => rows.map((row) => row.firstElementChild!.textContent))
  expect(await named('Listings')).toEqual([
    'Buy up to 0.0006 BTC: 1 item at this price, 4 up to it',
    'Buy up to 0.0004 BTC: 2 items at this price, 3 up to it',
    'Buy up to 0.0003 BTC: 1 item at this price, 1 up to it',
  ])
  expect(await named('Offers')).toEqual([
    'Sell now for 0.0002 BTC: 1 offer, only Hat: Cap',
    'Sell now for 0.00015 BTC: 1 offer',
  ])
  await book.getByText('Only 1 of these 2 can be filled').waitFor()
  // The spread is to the best offer that any item can accept.
  await book.getByText('Spread 50.0% · 15,000').waitFor()
  await page.getByRole('checkbox', { name: /^None/ }).check()
  await book.getByRole('button', { name: 'None', exact: true }).click()
  await book.getByText('2 listed · 1 offer').waitFor()
  await book.getByRole('button', { name: 'All', exact: true }).click()
  await rowOf(page, /^Buy up to 0.0004/).click()
  const cart = page.getByRole('dialog', { name: 'Cart' })
  await cart.getByText('3 items', { exact: true }).waitFor()
  visitor.assertQuiet()
  await visitor.close()

  const owner = await at.enter(seller)
  await owner.page.setViewportSize({ width: 820, height: 1180 })
  await owner.go(`/collection/${slug}`)
  await owner.page.getByRole('button', { name: `Sell now 0.0002: ${slug} #4` }).click()
  await owner.page
    .getByRole('dialog', { name: `Sell ${slug} #4` })
    .getByText('You receive')
    .waitFor()
  await owner.page.getByRole('button', { name: 'Close' }).click()
  await owner.page.getByRole('tab', { name: 'Order book' }).click()
  await rowOf(owner.page, /^Buy up to 0.0006 BTC.*Your order$/).waitFor()
  await listAll(market, seller, slug, [ids[4]!], 50_000)
  await owner.page.getByText('5 listed · 2 offers').waitFor()
  // The trait offer accepts three of five items, the even numbers.
  await rowOf(owner.page, /^Sell now for 0.0002 BTC/).click()
  const fitting = owner.page.getByRole('dialog', { name: 'Sell now' })
  await fitting.getByText(`${slug} #4`).waitFor()
  expect(await fitting.getByRole('listitem').count()).toBe(3)
  owner.assertQuiet()
  await owner.close()
})

it("marks the visitor's own listing", async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 101)
  await listAll(market, seller, slug, ids.slice(0, 1), 60_000)
  const owner = await at.enter(seller, `/collection/${slug}`)
  await rowOf(owner.page, /^Buy up to 0.0006 BTC.*Your order$/).waitFor()
  owner.assertQuiet()
  await owner.close()
})

it('shows all prices of a column alike', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 4)
  for (const [n, sats] of [126_000, 132_300, 138_915].entries())
    await listAll(market, seller, slug, [ids[n]!], sats)
  const visitor = await at.visit()
  const { page } = visitor
  await page.setViewportSize({ width: 1440, height: 900 })
  await visitor.go(`/collection/${slug}`)
  const rows = page.getByRole('region', { name: 'Order book' }).getByRole('list', { name: 'Listings' })
  const prices = () => rows.getByRole('button').locator('> [aria-hidden]:nth-of-type(3)').allTextContents()
  const cards = page.getByRole('article')
  const shown = async () =>
    (await cards.allTextContents()).map((text) => /#\d([\d.,]+ (BTC|sats))/.exec(text)?.[1])
  await expect.poll(prices).toEqual(['0.00139', '0.00132', '0.00126'])
  expect((await shown()).slice(0, 3)).toEqual(['0.00126 BTC', '0.00132 BTC', '0.00139 BTC'])
  // One price below 0.001 BTC: the whole column is in sats.
  await listAll(market, seller, slug, [ids[3]!], 54_300)
  await expect.poll(prices).toEqual(['138,915', '132,300', '126,000', '54,300'])
  await expect.poll(async () => (await shown())[1]).toBe('126,000 sats')
  visitor.assertQuiet()
  await visitor.close()
})
