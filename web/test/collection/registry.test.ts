import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { marketInBrowser } from '../support/market-in-browser.ts'
import { importKept, itemsOf } from '../support/registry.ts'

const at = marketInBrowser()
beforeAll(async () => {
  expect((await importKept(at.market.sql)).collections).toBe(2)
})

const total = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()

it('filters by a trait with 781 values', async () => {
  const tokenIds = itemsOf('chainspace').flatMap(({ meta }) =>
    meta.attributes!.filter((attribute) => attribute.trait_type === 'ETH token ID').map(({ value }) => value),
  )
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/collection/chainspace')
  await total(page, '800 items')
  const group = page.getByRole('group').filter({ has: page.getByText('ETH token ID') })
  await group.getByText('ETH token ID').click()
  await group.getByText(String(new Set(tokenIds).size), { exact: true }).waitFor()
  const rows = group.getByRole('checkbox')
  await rows.first().waitFor()
  expect(await rows.count()).toBeLessThan(50)
  await page.getByLabel('Search ETH token ID').fill('99')
  await expect
    .poll(() => rows.count())
    .toBe(new Set(tokenIds.filter((tokenId) => tokenId.includes('99'))).size)
  visitor.assertQuiet()
  await visitor.close()
})

it('fits long names at every width', async () => {
  const longest = itemsOf('gm-names').find(({ meta }) => meta.name.length === 1225)!
  const letters = longest.meta.attributes!.find((attribute) => attribute.trait_type === 'Letters')!.value
  const filtered = `/collection/gm-names?traits=${encodeURIComponent(JSON.stringify({ Letters: [letters] }))}`
  const visitor = await at.visit()
  const { page } = visitor
  for (const width of [320, 390, 820, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    for (const path of [filtered, '/collection/gm-names', '/collection/chainspace']) {
      await visitor.go(path)
      const cards = page.getByRole('article')
      await cards.first().waitFor()
      if (path === filtered) expect(await cards.count(), path).toBe(1)
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(wide, `${path} at ${width}`).toBeLessThanOrEqual(width)
    }
  }
  visitor.assertQuiet()
  await visitor.close()
})

const DENSE_COLUMNS = { 390: 3, 820: 6, 1440: 8, 1920: 12 }

it('shows small cards in the designed columns', async () => {
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/collection/chainspace')
  await page.getByRole('radio', { name: 'Small cards' }).check()
  const boxes = () =>
    page.getByRole('article').evaluateAll((cards) =>
      cards.map((card) => {
        const { top, bottom } = card.getBoundingClientRect()
        return { top, bottom }
      }),
    )
  for (const [width, columns] of Object.entries(DENSE_COLUMNS)) {
    await page.setViewportSize({ width: Number(width), height: 1080 })
    // The view is stored in the browser.
    await visitor.go('/collection/chainspace')
    await page.getByRole('article').nth(47).waitFor()
    const cards = await boxes()
    expect(cards.filter(({ top }) => top === cards[0]!.top).length, `at ${width}`).toBe(columns)
    const whole = cards.filter(({ top, bottom }) => top >= 0 && bottom <= 1080).length
    if (width === '1920') expect(whole).toBeGreaterThanOrEqual(24)
  }
  visitor.assertQuiet()
  await visitor.close()
})
