import { buy, propose } from '@ordbook/sdk/index.ts'
import { type Place, pathOf } from '@ordbook/web-ui/routing/places.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll } from '../../../e2e/support/market.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import { marketInBrowser } from '../support/market-in-browser.ts'

const at = marketInBrowser()

/** Returns a path for each route, with ids that exist on the market. */
async function onePathOfEach(): Promise<Record<Place, string>> {
  const { market, seller, buyer } = at
  const { slug, ids } = await market.collection(seller.wallet, 3)
  await listAll(market, seller, slug, ids.slice(0, 2), 50_000)
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  const { id } = await propose(await traderAtStorefront(market.server.url, seller.wallet), {
    visibility: 'private',
    offeredInscriptionIds: ids.slice(2),
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: slug, quantity: 2, target: { kind: 'all' } }],
    requestedBtcSats: 20_000,
  })
  const params = { slug, id: ids[1]!, address: seller.wallet.ordinalsAddress, txid: settlementTxid }
  return {
    '/': '/',
    '/collections': '/collections',
    '/collection/$slug': pathOf('/collection/$slug', params),
    '/inscription/$id': pathOf('/inscription/$id', params),
    '/wallet': '/wallet',
    '/inbox': '/inbox',
    '/address/$address': pathOf('/address/$address', params),
    '/trades': '/trades',
    '/trades/new': '/trades/new',
    '/trades/$id': pathOf('/trades/$id', { id }),
    '/receipt/$txid': pathOf('/receipt/$txid', params),
    '/activity': '/activity',
    '/market': '/market',
    '/how': '/how',
  }
}

it('gives each route a distinct title', async () => {
  const paths = await onePathOfEach()
  const visitor = await at.visit()
  const { page } = visitor
  const titles = new Map<string, string>()
  for (const [place, path] of Object.entries(paths)) {
    const servedTitle = async () => {
      const document = await fetch(`${at.market.server.url}${path}`, { headers: { accept: 'text/html' } })
      return /<title>([^<]+)<\/title>/.exec(await document.text())![1]!
    }
    await visitor.go(path)
    const titled = (title: string) => expect.poll(() => page.title(), { message: place }).toBe(title)
    await page.locator('main h1').waitFor()
    // A busy server can send a document without the item's name.
    await expect
      .poll(async () => (await servedTitle()) === (await page.title()), { message: place })
      .toBe(true)
    const served = await page.title()
    titles.set(place, served)
    const elsewhere = path === '/activity' ? 'Trades' : 'Activity'
    await page.getByRole('banner').getByRole('link', { name: elsewhere, exact: true }).click()
    await titled(elsewhere)
    await page.goBack()
    await page.waitForURL(`**${path}`)
    await titled(served)
  }
  expect([...new Set(titles.values())]).toEqual([...titles.values()])
  expect(titles.get('/trades/$id')).toMatch(/^Trade: test-\w+ #2 for 2 items and 0\.0002 BTC$/)
  visitor.assertQuiet()
  await visitor.close()
})
