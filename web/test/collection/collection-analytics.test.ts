import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { violations } from '../support/axe.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('charts sales and lists holders', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 5)
  await giveHats(market, slug, ids)
  await listAll(market, seller, slug, ids.slice(0, 1), 30_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  await market.mine()
  await listAll(market, seller, slug, ids.slice(1, 2), 50_000)
  await listAll(market, seller, slug, ids.slice(2, 3), 52_000)
  await listAll(market, seller, slug, ids.slice(3, 4), 90_000)
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go(`/collection/${slug}?tab=analytics`)
  const prices = page.getByRole('slider', { name: /^Floor and sales/ })
  const said = () => prices.getAttribute('aria-valuetext')
  await expect.poll(said).toMatch(/Floor 0\.0005 BTC/)
  // The arrow keys reach the sale, whose text also appears below the chart.
  await prices.focus()
  await page.keyboard.press('Home')
  for (let n = 0; n < 20 && !(await said())!.includes('Sale'); n++) await page.keyboard.press('ArrowRight')
  expect(await said()).toMatch(/Sale 0\.0003 BTC/)
  await page.getByText(/Sale 0\.0003 BTC$/).waitFor()

  const volume = page.getByRole('slider', { name: /^Volume/ })
  const { width, height } = (await volume.boundingBox())!
  await volume.hover({ position: { x: width / 2, y: height / 2 } })
  await expect.poll(() => volume.getAttribute('aria-valuetext')).toMatch(/No sales$/)
  await volume.hover({ position: { x: width - 2, y: height / 2 } })
  await page.getByText('0.0003 BTC in 1 sale', { exact: true }).waitFor()
  await page.getByRole('button', { name: '24 h' }).click()
  await volume.focus()
  await page.keyboard.press('End')
  await expect.poll(() => volume.getAttribute('aria-valuetext')).toMatch(/0\.0003 BTC, 1 sale$/)

  const asks = page.getByRole('region', { name: 'Listed by price' })
  await asks.getByText('As a table').click()
  // Each of the 30 bars is 1,400 sats wide: 40,000 sats by 30, rounded up to two digits.
  expect(await asks.getByRole('row').allTextContents()).toEqual([
    'PriceItems',
    '0.0005 BTC to 0.00051399 BTC1',
    '0.000514 BTC to 0.00052799 BTC1',
    '0.000892 BTC to 0.00090599 BTC1',
  ])

  const hours = page.getByRole('region', { name: 'Sales by hour' })
  await hours.getByText('1 sale in this period, in your time zone').waitFor()
  await hours.getByText('As a table').click()
  const [heads, only, ...others] = await hours.getByRole('row').allTextContents()
  expect([heads, others]).toEqual(['HourSales', []])
  expect(only).toMatch(/^\d\d:001$/)

  const ranks = page.getByRole('region', { name: 'Rank against price' })
  const points = ranks.getByRole('slider')
  await points.focus()
  const point = () => points.getAttribute('aria-valuetext')
  const seen = new Set<string | null>()
  await page.keyboard.press('Home')
  for (let n = 0; n < 6; n++) {
    seen.add(await point())
    await page.keyboard.press('ArrowRight')
  }
  expect([...seen].map((each) => each?.replace(/^Rank \d · /, '')).toSorted()).toEqual([
    'Listed for 0.0005 BTC',
    'Listed for 0.00052 BTC',
    'Listed for 0.0009 BTC',
    'Sold for 0.0003 BTC',
  ])
  await ranks.getByText('As a table').click()
  expect(await ranks.getByRole('row').count()).toBe(5)
  await ranks.getByText('As a table').click()

  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    expect(await violations(visitor), theme).toEqual([])
  }
  await page.getByRole('tab', { name: 'Holders 2' }).click()
  await page.getByText('2 owners hold 5 items', { exact: true }).waitFor()
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })
  expect(await row('4 to 9').getByRole('cell').allTextContents()).toEqual(['1', '4', '80.0%'])
  expect(await row('1').getByRole('cell').allTextContents()).toEqual(['1', '1', '20.0%'])

  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    expect(await violations(visitor), theme).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await expect
    .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'))
    .toBeLessThanOrEqual(390)
  visitor.assertQuiet()
  await visitor.close()
})

it('charts the sales of an item', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids.slice(0, 1), 30_000)
  await listAll(market, seller, slug, ids.slice(1, 2), 40_000)
  for (const id of ids.slice(0, 2)) {
    await buy(buyer, slug, await agreementFor(market, buyer, [id]))
    await market.mine()
  }
  const visitor = await at.visit()
  const { page } = visitor
  const reads: string[] = []
  page.on('request', (request) => reads.push(new URL(request.url()).pathname))
  await visitor.go(`/inscription/${ids[0]}`)
  await page.getByRole('tabpanel', { name: 'Activity' }).waitFor()
  expect(reads.filter((path) => path.endsWith('/history'))).toEqual([])
  await page.getByRole('tab', { name: 'Price' }).click()
  const prices = page.getByRole('tabpanel', { name: 'Price' })
  const chart = prices.getByRole('slider')
  await chart.focus()
  const said = new Set<string>()
  await page.keyboard.press('Home')
  for (let n = 0; n < 12; n++) {
    said.add((await chart.getAttribute('aria-valuetext'))!)
    await page.keyboard.press('ArrowRight')
  }
  const points = [...said]
  expect(points.filter((point) => / Sale 0\.0003 BTC$/.test(point))).toHaveLength(1)
  expect(points.filter((point) => point.endsWith('Another item sold for 0.0004 BTC'))).toHaveLength(1)
  await prices.getByText('As a table').click()
  expect(await prices.getByRole('row').count()).toBe(2)
  expect(await violations(visitor)).toEqual([])
  visitor.assertQuiet()
  await visitor.close()
})
