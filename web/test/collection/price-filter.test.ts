import { expect, it } from 'vitest'
import { listAll } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('filters by the handles of the price histogram', async () => {
  const { market, seller } = at
  const { slug, ids } = await market.collection(seller.wallet, 5)
  // 30 bars of 1,000 sats, rounded up to two digits.
  for (const [n, price] of [100_000, 104_000, 110_000, 120_000, 129_000].entries())
    await listAll(market, seller, slug, [ids[n]!], price)
  const visitor = await at.visit(undefined, { context: { viewport: { width: 1440, height: 900 } } })
  const { page } = visitor
  await visitor.go(`/collection/${slug}`)
  const low = page.getByRole('slider', { name: 'Lowest price' })
  const high = page.getByRole('slider', { name: 'Highest price' })
  const value = (handle: typeof low) => handle.getAttribute('aria-valuetext')
  await low.waitFor()
  await page.getByText('5 listings', { exact: true }).waitFor()
  const total = (text: string) => page.getByText(text, { exact: true }).waitFor()

  // The arrow keys move by one bar, the Page keys by five.
  await low.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => value(low)).toBe('0.0010097 BTC')
  await page.getByText('0.0010097 to 0.0010194 BTC: 0 listings').waitFor()
  await total('4 items')
  await page.keyboard.press('PageUp')
  await expect.poll(() => value(low)).toBe('0.0010582 BTC')
  await total('3 items')
  await high.focus()
  await page.keyboard.press('PageDown')
  await expect.poll(() => value(high)).toBe('0.0012425 BTC')
  await total('2 items')
  await expect.poll(() => new URL(page.url()).search).toBe('?min=105820&max=124249')
  expect(await page.getByLabel('Lowest price in BTC').inputValue()).toBe('0.0010582')
  // Up and down leave the handle, as in all filters.
  await high.focus()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate('document.activeElement.name')).toBe('min')

  // The chip removes the filter, and typed prices move the handles.
  await page.getByRole('button', { name: /^0\.0010582 to 0\.00124249 BTC ?, remove this filter$/ }).click()
  await total('5 items')
  await expect.poll(() => value(low)).toBe('0.001 BTC')
  await page.getByLabel('Highest price in BTC').fill('0.00111')
  await page.keyboard.press('Enter')
  await total('3 items')
  await expect.poll(() => value(high)).toBe('0.0011164 BTC')

  // The count of the bar under the pointer.
  const chart = low.locator('xpath=../preceding-sibling::div')
  await chart.hover({ position: { x: 2, y: 40 } })
  await page.getByText('0.001 to 0.0010097 BTC: 1 listing', { exact: true }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without reduced motion, colours change gradually.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(visitor)).toEqual([])
  }
  visitor.assertQuiet()
  await visitor.close()
})
