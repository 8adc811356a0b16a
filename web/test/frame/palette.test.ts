import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { listAll, until } from '../../../e2e/support/market.ts'
import { ALL_RULES, violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()
let slug: string
let ids: string[]
beforeAll(async () => {
  const made = await at.market.collection(at.seller.wallet, 3)
  slug = made.slug
  ids = made.ids
  const folder = join(at.market.dataDir, 'palette')
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: 'Lamp Keepers', slug }))
  const names = ['Lamp Keeper #2207', '🍓.gm', 'Keeper'.repeat(60)]
  const items = ids.map((id, n) => ({
    id,
    meta: {
      name: names[n],
      attributes: [{ trait_type: 'Headwear', value: n === 0 ? 'Brass crown' : 'Wool' }],
    },
  }))
  writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(at.market.sql, folder, { now: new Date() })
  await listAll(at.market, at.seller, slug, ids.slice(0, 1), 1_840_000)
})

const field = (page: Page) => page.getByRole('combobox', { name: /^Search/ })
const options = (page: Page) => page.getByRole('dialog', { name: 'Search' }).getByRole('option')
const active = (page: Page) => page.locator('[role=option][aria-selected=true]')

it('finds an item by number, trait and name', async () => {
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/how')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('/')
  for (const [text, option] of [
    // Prefix of an address whose owner has an item for sale.
    [
      at.seller.wallet.ordinalsAddress.slice(0, 16),
      new RegExp(`^${at.seller.wallet.ordinalsAddress.slice(0, 8)}…`),
    ],
    ['2207', /^Lamp Keeper #2207 ?Unverified ?Lamp Keepers, Inscription [\d,]+ ?0\.0184 BTC$/],
    ['🍓', /^🍓\.gm/],
    ['crown', /^Brass crown ?Headwear, Lamp Keepers ?Unverified ?1 item$/],
    ['lamp', /^Lamp Keepers ?Unverified ?3 items/],
  ] as const) {
    await field(page).fill(text)
    await page.getByRole('option', { name: option }).waitFor()
  }
  expect(await options(page).count()).toBeGreaterThan(1)
  const [first, second] = await options(page).allTextContents()
  expect(await active(page).textContent()).toBe(first)
  await page.keyboard.press('ArrowDown')
  expect(await active(page).textContent()).toBe(second)
  expect(await page.evaluate('document.activeElement.getAttribute("aria-activedescendant")')).toBe(
    await active(page).getAttribute('id'),
  )
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  expect(await active(page).textContent()).toBe((await options(page).allTextContents()).at(-1))
  await field(page).fill('2207')
  await page.getByRole('option', { name: /2207/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Lamp Keeper #2207' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  await until('the heading to get the focus', () =>
    page.evaluate<boolean>(`document.activeElement.matches('h1')`),
  )

  // The most recently opened page is first, and Escape restores the focus.
  await page.getByRole('button', { name: /^Collections, items/ }).focus()
  await page.keyboard.press('Control+k')
  await page
    .getByRole('group', { name: 'Recent' })
    .getByRole('option', { name: 'Lamp Keeper #2207' })
    .waitFor()
  await field(page).fill('lamp')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.textContent')).toContain('Collections, items')
  visitor.assertQuiet()
  await visitor.close()
})

it('opens the page for a pasted id', async () => {
  const visitor = await at.visit()
  const { page } = visitor
  const paste = async (text: string) => {
    await visitor.go('/how')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('/')
    await field(page).waitFor()
    await page.evaluate(
      `(() => {
        const data = new DataTransfer()
        data.setData('text', ${JSON.stringify(text)})
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
      })()`,
    )
    await field(page).fill(text)
  }
  const { txid, vout } = await at.market.coinOf(ids[1]!)
  for (const text of [ids[1]!, `${txid}:${vout}`]) {
    await paste(text)
    await page.waitForURL(`**/inscription/${ids[1]}`)
  }
  await paste(at.seller.wallet.ordinalsAddress)
  await page.waitForURL(`**/address/${at.seller.wallet.ordinalsAddress}`)
  await paste(`${'ab'.repeat(32)}i0`)
  await page.getByText(/^No match for “ab.*Try an item number, a trait or an address\.$/).waitFor()
  await page.mouse.click(5, 500)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  visitor.assertQuiet()
  await visitor.close()
})

it.each([
  [390, 'light'],
  [1440, 'dark'],
] as const)('fits %i px in the %s theme', async (width, colorScheme) => {
  const visitor = await at.visit(undefined, {
    context: { viewport: { width, height: 844 }, colorScheme, reducedMotion: 'reduce' },
  })
  const { page } = visitor
  await visitor.go('/how')
  await page.getByRole('button', { name: width < 600 ? 'Search' : /^Collections, items/ }).click()
  await field(page).fill('keeper')
  await options(page).filter({ hasText: 'KeeperKeeper' }).waitFor()
  const boxes = await options(page).evaluateAll((all) => all.map((each) => each.getBoundingClientRect()))
  for (const { left, right, height } of boxes) {
    expect(left).toBeGreaterThanOrEqual(0)
    expect(right).toBeLessThanOrEqual(width)
    expect(height).toBeGreaterThanOrEqual(44)
  }
  expect(await violations(visitor, ALL_RULES)).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})

it('opens pages with G and a letter', async () => {
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/how')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.getByRole('heading', { level: 1, name: 'Trades' }).waitFor()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByRole('checkbox', { name: 'Use keyboard shortcuts' }).uncheck()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  // Shortcuts with Ctrl still work: voice input cannot trigger them.
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
  await page.keyboard.type('gh/?')
  expect(await field(page).inputValue()).toBe('gh/?')
  expect(new URL(page.url()).pathname).toBe('/trades')
  visitor.assertQuiet()
  await visitor.close()
})

it('selects and buys with shortcuts', async () => {
  const visitor = await at.visit()
  const { page } = visitor
  const focused = (selector: string) =>
    until(`the focus in ${selector}`, () =>
      page.evaluate<boolean>(`document.activeElement.closest(${JSON.stringify(selector)}) !== null`),
    )
  await visitor.go(`/collection/${slug}`)
  const listed = page.getByRole('article').filter({ hasText: 'Keeper #2207' })
  await listed.waitFor()
  await page.keyboard.press('w')
  await page.getByRole('button', { name: 'Watch Lamp Keepers', pressed: true }).waitFor()
  // The item for sale is first. S selects nothing unless a card has the focus.
  await page.keyboard.press('s')
  expect(await page.getByRole('button', { name: 'Cart, 0 inscriptions' }).count()).toBe(1)
  await page.keyboard.press('f')
  await focused('[aria-label="Filters"]')
  await listed.getByRole('link').first().focus()
  await page.keyboard.press('s')
  await page.getByRole('button', { name: 'Cart, 1 inscription' }).waitFor()
  await listed.getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/inscription/${ids[0]}`)
  await page.getByRole('link', { name: /^Next: / }).waitFor()
  await page.keyboard.press(']')
  await page.waitForURL((url) => !url.pathname.endsWith(ids[0]!))
  await page.getByRole('link', { name: 'Previous: Lamp Keeper #2207' }).waitFor()
  await page.keyboard.press('[')
  await page.waitForURL(`**/inscription/${ids[0]}`)
  await page.getByRole('heading', { level: 1, name: 'Lamp Keeper #2207' }).waitFor()
  await page.getByRole('button', { name: 'Make offer' }).waitFor()
  await page.keyboard.press('o')
  await page.getByRole('dialog', { name: 'Offer for Lamp Keeper #2207' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Buy now' }).waitFor()
  await page.keyboard.press('b')
  await page.getByRole('dialog', { name: /wallet/i }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
