import { bid, offer } from '@ordbook/sdk/index.ts'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { coinsOf, offering } from '../../../e2e/support/offers.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

/** Trades with the keyboard only. The pointer is used only to dismiss messages. */
const shared = marketInBrowser()

const FOCUSED = `(() => {
  const at = document.activeElement
  const labelled = [...(at.labels ?? [])].map((each) => each.textContent).join(' ')
  const named = (at.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
  return [at.getAttribute('aria-label'), named, labelled, at.textContent].map((each) => each?.trim()).find(Boolean) ?? ''
})()`
const focused = (page: Page) => page.evaluate<string>(FOCUSED)

/** Presses Tab until an element with this name has the focus. Throws after 80 stops. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let stops = 1; stops <= 80; stops++) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (typeof name === 'string' ? at.startsWith(name) : name.test(at)) return
    seen.push(at.slice(0, 40))
  }
  throw new Error(`Tab did not reach ${name}: ${seen.join(' · ')}`)
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  const button = page.getByRole('button', { name, exact: typeof name === 'string' }).first()
  await button.waitFor()
  // A ticket is disabled until its bill has loaded.
  await expect.poll(() => button.isEnabled(), { timeout: 30_000 }).toBe(true)
  await tabTo(page, name)
  expect(await isInSight(page)).toBe(true)
  await page.keyboard.press('Enter')
}

/** Returns true if no sticky bar covers the focused element (WCAG 2.4.11). */
const isInSight = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const at = document.activeElement
    const { left, top, width, height } = at.getBoundingClientRect()
    const over = document.elementFromPoint(left + width / 2, top + height / 2)
    return over !== null && (at.contains(over) || over.contains(at))
  })()`)

it('lists and buys with the keyboard', async () => {
  const { market, seller, buyer } = shared
  const { ids, slug } = await market.collection(seller.wallet, 2)
  const owner = await shared.visit(seller)
  const { page } = owner
  await owner.go(`/inscription/${ids[0]}`)
  await press(page, 'Connect wallet')
  await page.getByRole('dialog', { name: 'Connect wallet' }).waitFor()
  await press(page, /^Xverse/)
  await page.locator('[data-account]').waitFor()

  await press(page, 'List for sale')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  expect(await focused(page)).toMatch(/^List for sale/)
  await page.keyboard.press('Enter')
  await tabTo(page, 'Price')
  await page.keyboard.type('0.001')
  await press(page, /^List for \d/)
  await press(page, 'Sign in Xverse')
  await owner.told(/Listed for/)
  await listAll(market, seller, slug, ids.slice(1), 60_000)

  const other = await shared.enter(buyer, `/collection/${slug}`)
  await other.page.reload()
  await other.page
    .getByRole('link', { name: new RegExp(`${slug} #0`) })
    .first()
    .waitFor()
  // The grid is one Tab stop. The cheapest item is first.
  await tabTo(other.page, new RegExp(`^${slug} #1`))
  await other.page.keyboard.press('ArrowRight')
  expect(await focused(other.page)).toMatch(new RegExp(`^${slug} #0`))
  await other.page.keyboard.press('Enter')
  await press(other.page, 'Make offer')
  await tabTo(other.page, 'Your offer')
  await other.page.keyboard.type('0.0008')
  await press(other.page, 'Review offer')
  await press(other.page, 'Sign in Xverse')
  await other.told(/Offer/)

  await page.reload()
  await press(page, 'Accept')
  await press(page, /^Sell for \d/)
  await press(page, 'Sign in Xverse')
  await owner.told(/Sold/)
  owner.assertQuiet()
  await owner.close()

  await other.go(`/inscription/${ids[1]}`)
  await press(other.page, /^Buy now/)
  await press(other.page, 'Sign in Xverse')
  await other.told(/Bought in/)
  other.assertQuiet()
  await other.close()
})

it('fills a collection offer with the keyboard', async () => {
  const { market, seller, buyer } = shared
  const { slug } = await market.collection(seller.wallet, 1)
  const maker = await shared.enter(buyer, `/collection/${slug}?tab=offers`)
  await maker.page.getByLabel('Price in BTC').waitFor()
  await tabTo(maker.page, 'Price')
  await maker.page.keyboard.type('0.0006')
  await press(maker.page, 'Review offer')
  await press(maker.page, 'Sign in Xverse')
  await maker.told(/Offer placed/)
  maker.assertQuiet()
  await maker.close()

  const owner = await shared.enter(seller, `/collection/${slug}?tab=offers`)
  await press(owner.page, 'Sell now')
  await press(owner.page, `Sell ${slug} #0`)
  await press(owner.page, /^Sell for \d/)
  await press(owner.page, 'Sign in Xverse')
  await owner.told(/Sold in/)
  owner.assertQuiet()
  await owner.close()
})

async function tick(page: Page, name: string): Promise<void> {
  const box = page.getByLabel(name, { exact: true })
  await box.waitFor()
  await tabTo(page, name)
  await page.keyboard.press('Space')
  expect(await box.isChecked()).toBe(true)
}

it('completes a swap with the keyboard', async () => {
  const { market, seller, buyer } = shared
  const mine = await market.collection(seller.wallet, 1)
  const theirs = await market.collection(buyer.wallet, 1)
  const proposer = await shared.enter(seller, '/trades/new')
  const { page } = proposer
  await tick(page, `Choose ${mine.slug} #0`)
  await tabTo(page, 'Add by collection or address')
  await page.keyboard.type(theirs.slug)
  await press(page, new RegExp(`Add ${theirs.slug} ?Unverified$`))
  await page.getByRole('button', { name: `Remove ${theirs.slug}` }).waitFor()
  await tabTo(page, 'Amount to add')
  await page.keyboard.type('0.0003')
  await press(page, 'Send proposal')
  await proposer.told(/Trade proposed/)

  const acceptor = await shared.enter(buyer, '/trades?tab=matching')
  await acceptor.page
    .getByRole('link', { name: /^View trade/ })
    .first()
    .waitFor()
  await tabTo(acceptor.page, 'View trade')
  await acceptor.page.keyboard.press('Enter')
  await tick(acceptor.page, `Choose ${theirs.slug} #0`)
  await press(acceptor.page, 'Accept trade')
  await press(acceptor.page, 'Sign in Xverse')
  await acceptor.told(/completes when the proposer signs/)
  acceptor.assertQuiet()
  await acceptor.close()

  await proposer.go('/trades?tab=received')
  await page
    .getByRole('link', { name: /^Review and complete/ })
    .first()
    .waitFor()
  await tabTo(page, 'Review and complete')
  await page.keyboard.press('Enter')
  await press(page, 'Review and complete')
  await press(page, 'Sign in Xverse')
  await proposer.told(/Completed in/)
  proposer.assertQuiet()
  await proposer.close()
})

it('returns the focus when a dialog closes', async () => {
  const { market, seller, buyer } = shared
  const mine = await market.collection(seller.wallet, 1)
  const yours = await market.collection(buyer.wallet, 1)
  await listAll(market, buyer, yours.slug, yours.ids, 50_000)
  const asked = await offer(buyer, mine.slug, await offering(market, buyer, mine.ids, 40_000))
  expect(asked.items).toHaveLength(1)
  const coins = await coinsOf(market, buyer)
  await bid(buyer, mine.slug, { target: { kind: 'all' }, priceSats: 30_000, coins: coins.slice(1) })
  const visitor = await shared.enter(seller)
  const { page } = visitor
  const own = `/inscription/${mine.ids[0]}`
  const theirs = `/inscription/${yours.ids[0]}`
  for (const [path, opener, width] of [
    [own, 'List for sale', 1280],
    [own, 'Accept', 1280],
    [own, 'Counter', 1280],
    [`/collection/${mine.slug}?tab=offers`, 'Sell now', 1280],
    [theirs, 'Make offer', 1280],
    [theirs, 'Buy now', 1280],
    ['/how', /^Cart,/, 1280],
    ['/how', 'Search', 390],
    [`/collection/${yours.slug}`, /^Filters/, 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await visitor.go(path)
    const button = page.getByRole('button', { name: opener, exact: typeof opener === 'string' }).first()
    await button.waitFor()
    await expect.poll(() => button.isEnabled(), { timeout: 20_000 }).toBe(true)
    const name = (await button.textContent())!
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    expect(
      await page.evaluate<boolean>(`document.activeElement.closest('dialog, [role=dialog]') !== null`),
    ).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect
      .poll(() => focused(page), { message: `${opener}`, timeout: 5000 })
      .toContain(name.trim().slice(0, 8))
  }
  await visitor.close()
})

it('keeps the focus through the review, Cancel and Sign', async () => {
  const { market, seller, buyer } = shared
  const mine = await market.collection(seller.wallet, 3)
  const yours = await market.collection(buyer.wallet, 3)
  await listAll(market, buyer, yours.slug, yours.ids.slice(0, 2), 50_000)
  await offer(buyer, mine.slug, await offering(market, buyer, mine.ids.slice(1, 2), 40_000))
  const visitor = await shared.enter(seller)
  const { page } = visitor
  const isLost = () => page.evaluate<boolean>('document.activeElement === document.body')
  const own = (n: number) => `/inscription/${mine.ids[n]}`
  const theirs = (n: number) => `/inscription/${yours.ids[n]}`
  const typing = (label: string, btc: string) => async () => {
    await tabTo(page, label)
    await page.keyboard.type(btc)
  }
  const nothing = async () => {}
  for (const [path, opener, fill, sends] of [
    [theirs(0), null, nothing, /^Buy now/],
    [theirs(1), 'Make offer', typing('Your offer', '0.0003'), 'Review offer'],
    [own(0), 'List for sale', typing('Price', '0.001'), /^List for \d/],
    [own(1), 'Accept', nothing, /^Sell for \d/],
  ] as const) {
    await visitor.go(path)
    if (opener) await press(page, opener)
    await fill()
    await press(page, sends)
    await page.getByRole('button', { name: 'Sign in Xverse' }).waitFor()
    // The focus starts on the heading: Enter neither signs nor cancels.
    await page.keyboard.press('Enter')
    await press(page, 'Cancel')
    const note = page.getByText('Cancelled. Nothing was signed.')
    await note.first().waitFor()
    // A ticket that closed for the review opens again, with the focus in it.
    const isBack = async () =>
      new RegExp(sends).test(await focused(page)) ||
      (await page.evaluate<boolean>(`document.activeElement.closest('dialog') !== null`))
    await expect.poll(isBack, { message: `${path}, after Cancel` }).toBe(true)
    if (new RegExp(sends).test(await focused(page))) await page.keyboard.press('Enter')
    else await press(page, sends)
    await press(page, 'Sign in Xverse')
    await page.locator('[data-tone]').waitFor({ timeout: 30_000 })
    await expect.poll(isLost, { message: `${path}, after Sign` }).toBe(false)
    // Dismissed with the pointer, which removes the focus on purpose.
    await visitor.told(/Bought|placed|Listed|Sold/)
  }
  visitor.assertQuiet()
  await visitor.close()
})
