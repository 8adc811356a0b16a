import { bid } from '@ordbook/sdk/index.ts'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { listAll, type TestTrader } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'
import { ALL_RULES, violations } from '../support/axe.ts'
import type { Visitor } from '../support/browser.ts'
import { openBatch } from '../support/clicks.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'
import type { WalletKind } from '../support/wallets.ts'

/** The batch: all items of the wallet with their prices, in the Listings tab. */
const at = marketInBrowser({ env: { ANCHOR_POOL: '160' } })
const ALL = { kind: 'all' } as const

const priceOf = (page: Page, name: string, unit = 'BTC') =>
  page.getByLabel(`Price of ${name} in ${unit}`, { exact: true })
const rowOf = (page: Page, name: string): Locator => page.getByRole('row', { name })
const summary = (page: Page) => page.getByRole('region', { name: 'Summary' })

/** Creates collections of a trader. */
async function collections(owner: TestTrader, sizes: readonly number[]) {
  const all = []
  for (const size of sizes) all.push(await at.market.collection(owner.wallet, size))
  return all
}

/** Opens the Listings tab of a trader on a wide screen. */
async function enter(owner: TestTrader): Promise<Visitor> {
  const visitor = await at.enter(owner)
  await visitor.page.setViewportSize({ width: 1440, height: 900 })
  await visitor.go('/wallet?tab=listings')
  await visitor.page.getByRole('table', { name: 'Prices' }).waitFor()
  return visitor
}

const listed = async (owner: TestTrader, slug: string) => {
  const { listings } = await owner.client.call('listListings', { query: { collectionSlug: slug } })
  return Object.fromEntries(listings.map((each) => [each.inscriptionName, each.priceSats]))
}

const WALLETS: readonly (readonly [WalletKind, string, number, string])[] = [
  ['xverse', 'Xverse', 1, 'Xverse asks once for all 20.'],
  ['leather', 'Leather', 28, 'Leather asks 28 times, once for each transaction.'],
]

it.each(WALLETS)('lists 20 items of 4 collections with the announced prompts of %s', async (...of) => {
  const [kind, name, windows, announced] = of
  const { market } = at
  const owner = await market.trader()
  const all = await collections(owner, [5, 5, 5, 5])
  await market.anchors(20)
  const visitor = await at.visit(owner, { kind })
  const { page } = visitor
  await visitor.go('/')
  await visitor.signIn(name)
  await page.setViewportSize({ width: 1440, height: 900 })
  await visitor.go('/wallet')
  const names = all.flatMap(({ slug, ids }) => ids.map((_, n) => `${slug} #${n}`))
  await openBatch(visitor, names)
  // The prices are in view, below the value of the portfolio.
  expect((await page.getByRole('table', { name: 'Prices' }).boundingBox())!.y).toBeLessThan(500)
  for (const [n, each] of names.entries()) await priceOf(page, each).fill(`0.00${200 + n}`)
  await summary(page).getByText(announced).waitFor()
  // A request over the limit of writes is repeated.
  let isLimited = false
  await page.route('**/listings/preflight', async (route) => {
    if (isLimited) return route.continue()
    isLimited = true
    await route.fulfill({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { error: 'Too many requests', code: 'rate-limited' },
    })
  })
  visitor.asked.length = 0
  await page.getByRole('button', { name: 'Review 20', exact: true }).click()
  const review = await visitor.confirm()
  expect(review).toContain('Review 20 listings')
  expect(review).toContain(`28 transactions to sign, in ${windows} wallet window`)
  expect(review).toContain('Each listing is independent.')
  expect(review).not.toMatch(/BTC together/)
  await visitor.told(/Listed 20 items/)
  expect(isLimited).toBe(true)
  expect(visitor.asked).toHaveLength(windows)
  for (const { slug, ids } of all) expect(Object.keys(await listed(owner, slug))).toHaveLength(ids.length)
  await visitor.close()
})

it('signs nothing if one of the collections rejects its listings', async () => {
  const owner = await at.market.trader()
  const all = await collections(owner, [1, 1])
  const visitor = await enter(owner)
  const { page } = visitor
  for (const { slug } of all) await priceOf(page, `${slug} #0`).fill('0.003')
  await page.route(`**/collection/${all[1]!.slug}/listings/preflight`, (route) =>
    route.fulfill({ status: 409, json: { error: 'Read again.', code: 'inscription-in-trade' } }),
  )
  visitor.asked.length = 0
  await page.getByRole('button', { name: 'Review 2', exact: true }).click()
  await summary(page).getByRole('alert').waitFor()
  expect(visitor.asked).toEqual([])
  expect(await listed(owner, all[0]!.slug)).toEqual({})
  // The prices are still there.
  expect(await priceOf(page, `${all[0]!.slug} #0`).inputValue()).toBe('0.003')
  await visitor.close()
})

it('compares each price with the number that it names', async () => {
  const { market, seller } = at
  const owner = await market.trader()
  const { slug, ids } = await market.collection([seller.wallet, owner.wallet], 2)
  await giveHats(market, slug, ids)
  // The floor is of a None, the trait floor of a Cap is twice as high.
  await listAll(market, seller, slug, [ids[0]!], 300_000)
  await listAll(market, seller, slug, [ids[1]!], 150_000)
  const visitor = await enter(owner)
  const { page } = visitor
  const [cap, none] = [`${slug} #2`, `${slug} #3`]
  await rowOf(page, cap).getByText('0.00300', { exact: true }).waitFor()
  await rowOf(page, cap).getByText('Cap', { exact: true }).waitFor()
  await rowOf(page, none).getByText('0.00150', { exact: true }).waitFor()

  // At the floor: half the trait floor is only a note.
  await priceOf(page, cap).fill('0.0015')
  await priceOf(page, none).fill('0.0015')
  await summary(page).getByText('1 price is 10% or more under the trait floor.').waitFor()
  await page.getByRole('button', { name: 'Review 2', exact: true }).waitFor()
  expect(await page.locator('tr[data-level=confirm]').count()).toBe(0)

  // Under the floor: in the row, in the button, and confirmed.
  await priceOf(page, none).fill('0.0013')
  await page.getByRole('button', { name: 'Review 2, 1 under the floor' }).click()
  await summary(page).getByText(`${none}: This is 13% under the floor.`).waitFor()
  await page.getByRole('button', { name: 'Continue at 13% under the floor' }).waitFor()
  expect(await page.locator('tr[data-level=confirm]').count()).toBe(1)
  for (const width of [390, 820, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await violations(visitor, ALL_RULES), `${width}, ${colorScheme}`).toEqual([])
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Match the floor' }).click()
  await page.getByRole('button', { name: 'Review 2', exact: true }).waitFor()
  expect(await priceOf(page, none).inputValue()).toBe('0.0015')

  // Half the floor: typed again.
  await priceOf(page, none).fill('0.0005')
  await page.getByLabel(`Type the price again: ${none} in BTC`).fill('0.0005')
  await page.getByRole('button', { name: 'Review 2, 1 under the floor' }).click()
  await page.getByRole('button', { name: /^Continue at 67% under the floor/ }).waitFor()

  // Under an offer that can be accepted: stopped.
  const coins = await coinsOf(market, at.buyer)
  await bid(at.buyer, slug, { target: ALL, priceSats: 100_000, coins })
  await summary(page).getByText(`${none}: An offer pays you more.`).waitFor()
  expect(await page.getByRole('button', { name: /^(Review|Continue)/ }).isDisabled()).toBe(true)
  await rowOf(page, cap).getByText('top offer').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('fills in prices by floor, trait floor, best bid and ladder', async () => {
  const { market, seller } = at
  const owner = await market.trader()
  const { slug, ids } = await market.collection([seller.wallet, owner.wallet], 2)
  await listAll(market, seller, slug, [ids[0]!], 200_300)
  const visitor = await enter(owner)
  const { page } = visitor
  const tools = page.getByRole('region', { name: 'Fill in prices' })
  const names = [2, 3].map((n) => `${slug} #${n}`)
  for (const name of names) await page.getByLabel(`Choose ${name}`, { exact: true }).check()
  const prices = () => Promise.all(names.map((name) => priceOf(page, name).inputValue()))
  const fillIn = async (tool: string, percent: string) => {
    await tools.getByRole('button', { name: tool, exact: true }).click()
    await tools.getByLabel('Adjust by percent').fill(percent)
    await tools.getByRole('button', { name: 'Apply' }).click()
  }
  await tools.getByText('Rounded up to 0.00001 BTC').waitFor()
  await fillIn('Floor', '')
  expect(await prices()).toEqual(['0.00201', '0.00201'])
  // The percentage after rounding is shown.
  await fillIn('Trait floor', '+5')
  expect(await prices()).toEqual(['0.00211', '0.00211'])
  await rowOf(page, names[0]!).getByText('+5.3%', { exact: true }).first().waitFor()
  await tools.getByRole('button', { name: 'Ladder', exact: true }).click()
  await tools.getByLabel('Step', { exact: true }).fill('0.00003')
  await fillIn('Ladder', '0')
  expect((await prices()).toSorted()).toEqual(['0.00201', '0.00204'])
  await tools.getByRole('button', { name: 'Undo' }).click()
  expect(await prices()).toEqual(['0.00211', '0.00211'])
  await fillIn('Best bid', '')
  await tools.getByText('None of the chosen items has this price.').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('edits prices by keyboard, and keeps them over a reload', async () => {
  const { market, seller } = at
  const owner = await market.trader()
  const { slug, ids } = await market.collection([seller.wallet, owner.wallet], 3)
  await market.sql`
    update collections set seller_royalty_bps = 250, royalty_script = ${seller.wallet.paymentScript} where slug = ${slug}`
  await listAll(market, seller, slug, [ids[0]!], 200_000, 350)
  await listAll(market, owner, slug, [ids[3]!], 250_000, 350)
  const visitor = await enter(owner)
  const { page } = visitor
  await page.getByRole('rowheader', { name: 'Royalty 2.5%' }).waitFor()
  const inputs = page.locator('[data-price]')
  expect(await inputs.count()).toBe(3)
  // The current price is filled in, and is no change.
  expect(await inputs.nth(0).inputValue()).toBe('0.0025')
  await inputs.nth(0).focus()
  await page.keyboard.type('0.0026')
  await page.keyboard.press('Enter')
  // 1% fee and 2.5% royalty of the old price.
  await rowOf(page, `${slug} #3`).getByText('was 0.00241', { exact: true }).waitFor()
  await page.keyboard.type('floor')
  await page.keyboard.press('ArrowDown')
  expect(await inputs.nth(1).inputValue()).toBe('0.002')
  await page.keyboard.type('+10%')
  await page.keyboard.press('ArrowUp')
  expect(await inputs.nth(2).inputValue()).toBe('0.0022')
  await page.keyboard.type('9')
  await page.keyboard.press('Escape')
  expect(await inputs.nth(1).inputValue()).toBe('0.002')
  await summary(page).getByText('Price changes').waitFor()
  await page.getByRole('button', { name: 'Review 3', exact: true }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Review 3', exact: true }).waitFor()
  expect(await Promise.all([0, 1, 2].map((n) => inputs.nth(n).inputValue()))).toEqual([
    '0.0026',
    '0.002',
    '0.0022',
  ])
  await page.getByRole('button', { name: 'Review 3', exact: true }).click()
  await visitor.confirm()
  await visitor.told(/Listed 3 items/)
  expect(Object.values(await listed(owner, slug)).toSorted()).toEqual([200_000, 200_000, 220_000, 260_000])
  visitor.assertQuiet()
  await visitor.close()
})

it('keeps digits when the unit changes, and asks before they count', async () => {
  const owner = await at.market.trader()
  const { slug } = await at.market.collection(owner.wallet, 2)
  const visitor = await enter(owner)
  const { page } = visitor
  const [first, second] = [`${slug} #0`, `${slug} #1`]
  await priceOf(page, first).fill('150000')
  await page.evaluate(`localStorage.setItem('unit', 'sats')`)
  await page.reload()
  expect(await priceOf(page, first, 'sats').inputValue()).toBe('150000')
  await page.getByText('This is now 0.0015 BTC (150,000 sats).').waitFor()
  await page.getByText('Correct 1 price first.').waitFor()
  await page.getByRole('button', { name: 'Use 0.0015 BTC' }).click()
  await page.getByRole('button', { name: 'Review 1', exact: true }).waitFor()
  await priceOf(page, second, 'sats').fill('1.5')
  await priceOf(page, second, 'sats').blur()
  await page.getByText('Use whole sats.').waitFor()
  await visitor.close()
})

it('delists and lists again several items of several collections', async () => {
  const { market } = at
  const owner = await market.trader()
  const all = await collections(owner, [2, 1])
  for (const { slug, ids } of all) await listAll(market, owner, slug, ids, 120_000)
  const visitor = await enter(owner)
  const { page } = visitor
  await page.getByRole('checkbox', { name: 'Choose all' }).check()
  await summary(page).getByRole('button', { name: 'Delist 3' }).click()
  await visitor.told('The items are no longer for sale.')
  for (const { slug } of all) expect(await listed(owner, slug)).toEqual({})
  await rowOf(page, `${all[0]!.slug} #0`).getByText('Not listed', { exact: true }).waitFor()

  // Listings that expired begin at their last price.
  for (const { slug, ids } of all) await listAll(market, owner, slug, ids, 130_000)
  await market.sql`update listings set expires_at = now() - interval '1 minute' where price_sats = 130000`
  await page.reload()
  await rowOf(page, `${all[0]!.slug} #1`).getByText('Expired').filter({ visible: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Choose all' }).check()
  await page.getByRole('button', { name: 'Review 3', exact: true }).click()
  await visitor.confirm()
  // Other notices are about the listings that ended.
  await page.getByText('Listed 3 items.').waitFor()
  expect(Object.values(await listed(owner, all[0]!.slug))).toEqual([130_000, 130_000])
  await visitor.close()
})
