import { delist } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import type { Visitor } from '../support/browser.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser({ env: { ANCHOR_POOL: '120' } })

/** Lists a collection at 0.0002, 0.00022 and so on, in item order. */
async function listed(count: number) {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, count)
  for (const [n, id] of ids.entries()) await listAll(market, seller, slug, [id], 20_000 + n * 2000)
  return slug
}

async function sweep({ page }: Visitor, count: number) {
  await page.getByLabel('Sweep').fill(String(count))
  await page.getByRole('button', { name: 'Add the cheapest' }).click()
  const cart = page.getByRole('dialog', { name: 'Cart' })
  await cart.getByRole('region', { name: 'Sweep' }).waitFor()
  const names = () => cart.getByRole('listitem').getByRole('link').allTextContents()
  return { cart, names }
}

it('changes the count with field and slider', async () => {
  const slug = await listed(6)
  const visitor = await at.enter(at.buyer, `/collection/${slug}`)
  const { cart, names } = await sweep(visitor, 2)
  expect(await names()).toEqual([`${slug} #0`, `${slug} #1`])
  await cart.getByLabel('Items', { exact: true }).fill('4')
  await cart.getByText('4 items', { exact: true }).waitFor()
  expect(await names()).toEqual([0, 1, 2, 3].map((n) => `${slug} #${n}`))
  await cart.getByLabel('Number of items to sweep').fill('1')
  await cart.getByText('1 item', { exact: true }).waitFor()
  expect(await names()).toEqual([`${slug} #0`])
  await cart.getByLabel('Items', { exact: true }).fill('20')
  await cart.getByText('Only 6 items fit now.').waitFor()
  await cart.getByText('6 items', { exact: true }).waitFor()
  await cart.getByRole('button', { name: 'Review and buy' }).click()
  expect(await visitor.confirm()).toContain('Review your purchase of 6 items')
  await visitor.told(/Bought in/)
  visitor.assertQuiet()
  await visitor.close()
})

it('rounds a fractional count down', async () => {
  const slug = await listed(4)
  const visitor = await at.enter(at.buyer, `/collection/${slug}`)
  const { page } = visitor
  const field = page.getByRole('spinbutton', { name: 'Sweep' })
  await field.fill('2.7')
  await field.press('Enter')
  const cart = page.getByRole('dialog', { name: 'Cart' })
  await cart.getByText('2 items', { exact: true }).waitFor()
  const inCart = cart.getByLabel('Items', { exact: true })
  await inCart.fill('3.9')
  await cart.getByText('3 items', { exact: true }).waitFor()
  await inCart.blur()
  expect(await inCart.inputValue()).toBe('3')
  expect(await field.inputValue()).toBe('2')
  visitor.assertQuiet()
  await visitor.close()
})

it('adds no item above the maximum price', async () => {
  const slug = await listed(6)
  const visitor = await at.enter(at.buyer, `/collection/${slug}`)
  const { page } = visitor
  await page.getByRole('link', { name: new RegExp(`${slug} #5`) }).hover()
  await page.getByRole('button', { name: `Add to cart: ${slug} #5` }).click()
  const { cart, names } = await sweep(visitor, 4)
  await cart.getByText('5 items', { exact: true }).waitFor()
  await cart.getByLabel('Highest price in BTC').fill('0.00022')
  await cart.getByText('Only 2 items fit now.').waitFor()
  await expect.poll(async () => (await names()).toSorted()).toEqual([0, 1, 5].map((n) => `${slug} #${n}`))
  await cart.getByLabel('Highest price in BTC').fill('0.00001')
  await cart.getByText('Nothing is for sale up to this price. The cart is unchanged.').waitFor()
  await cart.getByText('3 items', { exact: true }).waitFor()
  await cart.getByLabel('Highest price in BTC').fill('')
  await cart.getByLabel('Items', { exact: true }).fill('3')
  await cart.getByText('4 items', { exact: true }).waitFor()
  await cart.getByRole('button', { name: 'Clear the sweep' }).click()
  await cart.getByText('1 item', { exact: true }).waitFor()
  expect(await names()).toEqual([`${slug} #5`])
  expect(await cart.getByRole('region', { name: 'Sweep' }).count()).toBe(0)
  visitor.assertQuiet()
  await visitor.close()
})

it('replaces a sold item with the next cheapest', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 5)
  const listed = new Map<string, string>()
  for (const [n, id] of ids.entries())
    for (const [key, value] of await listAll(market, seller, slug, [id], 20_000 + n * 2000))
      listed.set(key, value)
  const visitor = await at.enter(buyer, `/collection/${slug}`)
  const { page } = visitor
  await page.getByLabel('Sweep').fill('3')
  await page.getByRole('button', { name: 'Add the cheapest' }).click()
  const cart = page.getByRole('dialog', { name: 'Cart' })
  const figure = (name: string) =>
    cart.getByRole('term').filter({ hasText: name }).locator('..').getByRole('definition').textContent()
  await cart.getByText('Average').waitFor()
  await expect
    .poll(async () => [await figure('Average'), await figure('Highest'), await figure('Floor after')])
    .toEqual(['0.00022 BTC', '0.00024 BTC', '0.00026 BTC +30.0%'])
  const take = (id: string) => delist(seller, slug, [{ inscriptionId: id, listingId: listed.get(id)! }])
  await take(ids[1]!)
  await cart
    .getByText(`${slug} #1 is no longer for sale. It was removed, and the next cheapest item was added.`)
    .waitFor()
  await cart.getByText('3 items', { exact: true }).waitFor()
  await cart.getByRole('link', { name: `${slug} #3` }).waitFor()
  await expect.poll(() => figure('Floor after')).toBe('0.00028 BTC +40.0%')
  await cart.getByRole('button', { name: `Remove ${slug} #3` }).click()
  await cart.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: new RegExp(`${slug} #3`) }).hover()
  await page.getByRole('button', { name: `Add to cart: ${slug} #3` }).click()
  await page.getByRole('button', { name: /^Cart, 3/ }).click()
  await take(ids[3]!)
  await cart.getByText(`${slug} #3 is no longer for sale. It was removed.`).waitFor()
  await cart.getByText('2 items', { exact: true }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('rejects a 21st item', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 21)
  await market.anchors(44)
  await listAll(market, seller, slug, ids, 20_000)
  const visitor = await at.enter(buyer, `/collection/${slug}`)
  const { page } = visitor
  await page.getByLabel('Sweep').fill('20')
  await page.getByRole('button', { name: 'Add the cheapest' }).click()
  const cart = page.getByRole('dialog', { name: 'Cart' })
  await cart.getByText('20 items', { exact: true }).waitFor()
  const chosen = await cart.getByRole('link').allTextContents()
  const [left] = ids.map((_, n) => `${slug} #${n}`).filter((name) => !chosen.includes(name))
  await cart.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: new RegExp(`${left}\\b`) }).hover()
  await page.getByRole('button', { name: `Add to cart: ${left}` }).click()
  await visitor.told('One transaction buys at most 20 items of a collection. The other items were not added.')
  await page.getByRole('button', { name: /^Cart, 20/ }).waitFor()
  visitor.assertQuiet()
  await visitor.close()
})

it('shows the cart next to the grid, and over it on a phone', async () => {
  const slug = await listed(3)
  for (const width of [1440, 1920, 820, 390]) {
    const visitor = await at.visit(at.buyer, { context: { viewport: { width, height: 900 } } })
    const { page } = visitor
    await visitor.go(`/collection/${slug}`)
    await visitor.signIn()
    const opener = page.getByRole('button', { name: 'Add the cheapest' })
    await page.getByLabel('Sweep').fill('2')
    await opener.focus()
    await page.keyboard.press('Enter')
    const cart = page.getByRole('dialog', { name: 'Cart' })
    await cart.getByText('2 items', { exact: true }).waitFor()
    expect(
      await page.evaluate<boolean>(`document.activeElement.closest('dialog, [role=dialog]') !== null`),
    ).toBe(true)
    const isModal = await page.evaluate<boolean>(`document.querySelector('dialog:modal') !== null`)
    expect(isModal, `${width}`).toBe(width < 1200)
    if (!isModal) {
      const grid = (await page.getByRole('article').last().boundingBox())!
      const panel = (await cart.boundingBox())!
      expect(grid.x + grid.width).toBeLessThanOrEqual(panel.x)
      // The grid stays usable.
      await page.getByRole('link', { name: new RegExp(`${slug} #2`) }).hover()
      await page.getByRole('button', { name: `Add to cart: ${slug} #2` }).click()
      await cart.getByText('3 items', { exact: true }).waitFor()
      await cart.getByRole('button', { name: 'Close' }).focus()
    }
    expect(await violations(visitor)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await page.keyboard.press('Escape')
    await cart.waitFor({ state: 'detached' })
    if (isModal)
      expect(await page.evaluate('document.activeElement.textContent')).toContain('Add the cheapest')
    else expect(await page.evaluate('document.activeElement !== document.body')).toBe(true)
    await visitor.close()
  }
})
