import { offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { listAll, setUpMarket } from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'

const market = setUpMarket()

async function feed(path: string) {
  const response = await fetch(`${market.server.url}/feeds${path}`)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}
const titlesIn = (text: string) =>
  [...text.matchAll(/<entry><id>([^<]*)<\/id><title>([^<]*)</g)].map(([, , title]) => title)

it('feeds have the public activity of a collection, an address and a search', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, [ids[0]!], 60_000)
  await offer(buyer, slug, await offering(market, buyer, [ids[1]!], 40_000))
  const ofCollection = await feed(`/collection/${slug}.atom`)
  expect(ofCollection).toMatchObject({ status: 200, type: 'application/atom+xml; charset=utf-8' })
  expect(titlesIn(ofCollection.text)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Listed: .* for 60000 sats$/),
      expect.stringMatching(/^Offer: .* for 40000 sats$/),
    ]),
  )
  const entryIds = [...ofCollection.text.matchAll(/<entry><id>([^<]*)</g)].map(([, id]) => id)
  expect(new Set(entryIds).size).toBe(entryIds.length)
  const ofAddress = await feed(`/address/${seller.wallet.ordinalsAddress}.atom`)
  expect(titlesIn(ofAddress.text)).toContainEqual(expect.stringMatching(/^Listed: /))
  const [{ name }] = await market.sql<[{ name: string }]>`select name from collections where slug = ${slug}`
  const found = await feed(`/search.atom?q=${encodeURIComponent(name)}`)
  expect(titlesIn(found.text)).toContainEqual(expect.stringMatching(/^Listed: /))
})

it('rejects unknown collections, invalid addresses and searches', async () => {
  for (const [path, status] of [
    ['/collection/none.atom', 404],
    ['/address/bc1nonsense.atom', 400],
    ['/search.atom', 400],
    ['/search.atom?q=a&q=b', 400],
    ['/search.atom?q=%00', 400],
  ] as const)
    expect([path, (await feed(path)).status]).toEqual([path, status])
})
