import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

it('explains a new market without empty tables', async () => {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 4)
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/')
  await page.getByText('No sales yet').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Trade Bitcoin ordinals.' }).waitFor()
  await page.getByText('Seller fee 1%, buyer fee 1%.').waitFor()
  await expect.poll(() => page.getByRole('article').count()).toBe(ids.length)
  expect(await page.getByRole('table').count()).toBe(0)
  expect(await page.locator('main').textContent()).not.toMatch(/\b0 BTC|–|Live sales/)
  await page.getByRole('link', { name: `List the first of ${slug}` }).click()
  await page.waitForURL(`**/wallet?collection=${slug}`)
  await page.goBack()
  await page.getByRole('link', { name: 'List an item' }).click()
  await page.waitForURL('**/wallet')

  await listAll(market, seller, slug, ids.slice(0, 2), 1_000_000)
  await listAll(market, seller, slug, ids.slice(2, 3), 1_040_000)
  await listAll(market, seller, slug, ids.slice(3), 2_000_000)
  await visitor.go('/')
  await page.getByRole('link', { name: `See the listed items of ${slug}` }).waitFor()
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
  await market.server.sync()
  await visitor.go('/')
  const sales = page.getByRole('region', { name: 'Live sales' })
  await sales.getByRole('link', { name: `${slug} #0` }).waitFor()
  expect(await sales.locator('img, iframe').count()).toBe(1)
  const traded = page.getByRole('row', { name: new RegExp(slug) })
  expect(await traded.textContent()).toContain('0.01000 BTC1')
  await page.getByRole('button', { name: '1h', exact: true }).click()
  await page.getByRole('button', { name: '1h', exact: true, pressed: true }).waitFor()
  expect(page.url()).toContain('window=1h')
  await page.getByRole('heading', { name: 'Trending' }).scrollIntoViewIfNeeded()
  await page.mouse.wheel(0, 2000)
  await page.getByRole('heading', { name: 'Just listed near the floor' }).waitFor()
  // Items at 0.01 and 4% above are shown. An item at twice the floor is not.
  await expect.poll(() => page.getByRole('article').count()).toBe(2)
  await page.getByRole('heading', { name: 'New collections' }).waitFor()
  const sorted = page.getByRole('columnheader', { name: 'Volume' })
  expect(await sorted.getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('button', { name: 'Owners' }).click()
  await page.locator('th[aria-sort="descending"]', { hasText: 'Owners' }).waitFor()
  expect(page.url()).toContain('sort=owners')
  // The watchlist is first, also after a reload.
  await page
    .getByRole('row', { name: new RegExp(slug) })
    .getByRole('button', { name: `Watch ${slug}` })
    .click()
  await page.reload()
  const watched = page.getByRole('region', { name: 'Watchlist' })
  await watched.getByRole('link', { name: new RegExp(slug) }).waitFor()
  const top = async (name: string) => (await page.getByRole('region', { name }).boundingBox())!.y
  expect(await top('Watchlist')).toBeLessThan(await top('Live sales'))
  await watched.getByRole('button', { name: `Watch ${slug}`, pressed: true }).click()
  await watched.waitFor({ state: 'detached' })
  visitor.assertQuiet()
  await visitor.close()
})

it('searches and sorts all collections', async () => {
  const { market, seller } = at
  const slugs: string[] = []
  for (let n = 0; n < 11; n++) slugs.push((await market.collection(seller.wallet, 1)).slug)
  const visitor = await at.visit()
  const { page } = visitor
  await visitor.go('/?sort=name')
  const table = page.getByRole('table')
  const named = (slug: string) => table.getByRole('rowheader', { name: new RegExp(slug) })
  await expect.poll(() => table.getByRole('row').count()).toBe(11)
  await page.getByRole('link', { name: 'See all' }).click()
  await page.waitForURL('**/collections?sort=name')
  expect(await page.title()).toBe('Collections, ordbook')
  await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor()
  for (const slug of slugs) await named(slug).waitFor()
  const [first, second] = slugs.toSorted() as [string, string]
  const field = page.getByRole('searchbox', { name: 'Find a collection' })
  await field.fill(first)
  await page.waitForURL(`**/collections?sort=name&q=${first}`)
  await expect.poll(() => table.getByRole('row').count()).toBe(2)
  await named(first)
    .getByRole('button', { name: `Watch ${first}` })
    .click()
  await field.fill('none of this name')
  await page.getByText("No collection matches 'none of this name'.").waitFor()
  await field.fill('')
  await named(second).waitFor()
  await page.getByRole('button', { name: 'Watchlist', exact: true }).click()
  await expect.poll(() => table.getByRole('row').count()).toBe(2)
  await named(first).waitFor()
  await page.reload()
  await named(first).waitFor()
  expect(await table.getByRole('row').count()).toBe(2)
  visitor.assertQuiet()
  await visitor.close()
})

it('distinguishes collections with the same name', async () => {
  const { market, seller } = at
  const one = await market.collection(seller.wallet, 1)
  const two = await market.collection(seller.wallet, 2)
  for (const { slug } of [one, two])
    await market.sql`update collections set name = 'Bitcoin Birds' where slug = ${slug}`
  const visitor = await at.visit()
  const { page } = visitor
  for (const path of ['/?sort=new', '/collections?sort=new']) {
    await visitor.go(path)
    const rows = page.getByRole('rowheader', { name: /Bitcoin Birds/ })
    await expect.poll(() => rows.count()).toBe(2)
    const texts = await rows.allTextContents()
    expect(texts[1], path).toMatch(new RegExp(`Unverified1 item, ${one.slug}$`))
    expect(texts[0], path).toMatch(new RegExp(`Unverified2 items, ${two.slug}$`))
  }
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: /^Search/ }).fill('bitcoin birds')
  const option = (text: string) => page.getByRole('option').filter({ hasText: text })
  await option(`1 item, ${one.slug}`).getByText('Unverified').waitFor()
  await option(`2 items, ${two.slug}`).getByText('Unverified').waitFor()
  visitor.assertQuiet()
  await visitor.close()
})
