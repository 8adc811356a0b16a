import { bid, buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { agreementFor, listAll, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'
import { visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
const seller = setUpTrader(market)
const buyer = setUpTrader(market)

const read = async (path: string) => {
  const { status, body } = await visit(market.server.url, `/web/v1${path}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

it('separates the top offer from the best trait bid', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 4)
  await giveHats(market, slug, ids)
  expect(await read(`/collections/${slug}`)).toMatchObject({
    topOfferSats: null,
    bestTraitBid: null,
    offerCount: 0,
    lastSale: null,
  })
  await listAll(market, seller, slug, ids.slice(0, 1), 50_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  await market.mine()
  await listAll(market, seller, slug, ids.slice(1, 2), 60_000)
  const [one, other] = await coinsOf(market, buyer)
  const caps = { kind: 'traits', traits: [{ type: 'Hat', values: ['Cap'] }] } as const
  const bids = [
    { target: { kind: 'all' } as const, priceSats: 20_000, coins: [one!] },
    { target: caps, priceSats: 45_000, coins: [other!] },
  ]
  for (const each of bids) await bid(buyer, slug, each)
  const found = await read(`/collections/${slug}`)
  expect(found).toMatchObject({
    topOfferSats: 20_000,
    bestTraitBid: { priceSats: 45_000, scopeLabel: 'Hat: Cap' },
    offerCount: 2,
    lastSale: { priceSats: 50_000 },
  })
  // The ranking and the order book have the same meaning.
  const { collections } = await read(`/collections?slugs=${slug}`)
  expect(collections).toMatchObject([{ slug, topOfferSats: 20_000 }])
  const depth = await read(`/collections/${slug}/depth`)
  expect([depth.topOfferSats, depth.bids[0].priceSats]).toEqual([20_000, 45_000])
  const traits = encodeURIComponent(JSON.stringify(caps.traits))
  expect((await read(`/collections/${slug}/depth?traits=${traits}`)).topOfferSats).toBe(45_000)
})

it('counts listings by price', async () => {
  const unlisted = await market.collection(seller.wallet, 1)
  expect(await read(`/collections/${unlisted.slug}/price-histogram`)).toEqual({
    leastSats: null,
    stepSats: null,
    mostSats: null,
    bars: [],
  })
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 9_000_000)
  // 57 more entries of the listing in the book: signing as many takes long.
  await market.sql`
    insert into book_entries
    select collection_id, listing_id, inscription_id, -n, (array[100000, 101000, 129000])[n % 3 + 1], listed_at, expires_at, opened_at
    from book_entries, generate_series(1, 57) as n where inscription_id = ${ids[0]!}`
  const { leastSats, stepSats, mostSats, bars } = await read(`/collections/${slug}/price-histogram`)
  // (129,000 - 100,000) / 30 sats, rounded up to two digits.
  expect([leastSats, stepSats, mostSats]).toEqual([100_000, 970, 9_000_000])
  const at = (price: number) => Math.min(29, Math.floor((price - leastSats) / stepSats))
  expect(bars).toHaveLength(30)
  expect(bars.flatMap((items: number, bar: number) => (items > 0 ? [[bar, items]] : []))).toEqual([
    [0, 19],
    [at(101_000), 19],
    // The outlier shares the last bar.
    [29, 20],
  ])
  expect((await visit(market.server.url, '/web/v1/collections/unknown/price-histogram')).status).toBe(404)
})

it('returns the position and neighbours of an item', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  for (const [n, name] of ['Lamp #10', 'Lamp #9', 'Lamp #100'].entries())
    await market.sql`update collection_items set item_name = ${name}, rendered_row = null where inscription_id = ${ids[n]!}`
  const neighboursOf = async (n: number) => (await read(`/inscriptions/${ids[n]}`)).neighbours
  const item = (n: number, name: string) => ({ inscriptionId: ids[n], name })
  expect(await neighboursOf(1)).toEqual({ place: 1, previous: null, next: item(0, 'Lamp #10') })
  expect(await neighboursOf(0)).toEqual({
    place: 2,
    previous: item(1, 'Lamp #9'),
    next: item(2, 'Lamp #100'),
  })
  expect(await neighboursOf(2)).toEqual({ place: 3, previous: item(0, 'Lamp #10'), next: null })
  await market.sql`delete from collection_items where inscription_id = ${ids[2]!}`
  expect(await neighboursOf(2)).toBeNull()
  expect((await neighboursOf(0)).next).toBeNull()
  expect((await read(`/collections/${slug}/items`)).items).toHaveLength(2)
})
