import { bid, declineBids, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { giveHats } from '../purchases/support/hats.ts'
import { listAll, setUpMarket } from '../support/market.ts'
import { coinsOf, offering } from '../support/offers.ts'
import { traderAtStorefront, visit } from '../support/storefront.ts'

const market = setUpMarket({ ANCHOR_POOL: '120' })

const trader = async () => traderAtStorefront(market.server.url, (await market.trader()).wallet)

/** Creates a collection with alternating hats Cap and None. */
async function hats(owner: Awaited<ReturnType<typeof trader>>, count: number) {
  const collection = await market.collection(owner.wallet, count)
  await giveHats(market, collection.slug, collection.ids)
  return collection
}

const hat = (value: string) => [{ type: 'Hat', values: [value] }]

it('returns the depth of listings and executable bids', async () => {
  const [seller, maker, other] = [await trader(), await trader(), await trader()]
  const { slug, ids } = await hats(seller, 5)
  const prices = [20_000, 30_000, 30_000, 50_000]
  for (const [n, price] of prices.entries()) await listAll(market, seller, slug, [ids[n]!], price)
  const depthOf = (query = {}) => maker.client.call('getDepth', { params: { slug }, query })
  expect(await depthOf()).toEqual({
    asks: [
      { priceSats: 20_000, items: 1, cumulatedItems: 1, cumulatedSats: 20_000 },
      { priceSats: 30_000, items: 2, cumulatedItems: 3, cumulatedSats: 80_000 },
      { priceSats: 50_000, items: 1, cumulatedItems: 4, cumulatedSats: 130_000 },
    ],
    askCount: 4,
    bids: [],
    bidCount: 0,
    topOfferSats: null,
  })
  const caps = { traits: JSON.stringify(hat('Cap')) }
  expect((await depthOf(caps)).asks.map(({ priceSats, items }) => [priceSats, items])).toEqual([
    [20_000, 1],
    [30_000, 1],
  ])

  // Two bids share a coin, so only one can be filled.
  const [coin] = await coinsOf(market, maker)
  const all = { kind: 'all' } as const
  const one = await bid(maker, slug, { target: all, priceSats: 15_000, coins: [coin!] })
  const trait = { kind: 'traits', traits: hat('Cap') } as const
  const two = await bid(maker, slug, { target: trait, priceSats: 20_000, coins: [coin!] })
  const coins = await coinsOf(market, other)
  const three = await bid(other, slug, { target: all, priceSats: 15_000, coins: coins.slice(0, 1) })
  const [oneId, twoId, threeId] = [one, two, three].map((each) => each.offers[0]!.offerId)
  const level = { cumulatedItems: 1, cumulatedSats: 15_000, priceSats: 15_000 }
  const { bids, bidCount } = await depthOf()
  expect(bidCount).toBe(3)
  expect(bids).toEqual([
    {
      priceSats: 20_000,
      items: 1,
      cumulatedItems: 1,
      cumulatedSats: 20_000,
      offers: [{ offerId: twoId, scopeLabel: 'Hat: Cap', sharesCoinWith: [oneId] }],
    },
    {
      ...level,
      items: 2,
      cumulatedItems: 2,
      cumulatedSats: 35_000,
      offers: [
        { offerId: oneId, scopeLabel: 'Collection', sharesCoinWith: [twoId] },
        { offerId: threeId, scopeLabel: 'Collection', sharesCoinWith: [] },
      ],
    },
  ])
  expect((await depthOf(caps)).bidCount).toBe(3)
  expect((await depthOf({ traits: JSON.stringify(hat('None')) })).bidCount).toBe(2)
  const either = [{ type: 'Hat', values: ['Cap', 'None'] }]
  expect((await depthOf({ traits: JSON.stringify(either) })).bidCount).toBe(2)
  for (const [path, status] of [
    [`/collections/${slug}/depth?traits=${encodeURIComponent('{"a":"b"}')}`, 400],
    [`/collections/${slug}/depth?traits=x`, 400],
    ['/collections/unknown/depth', 404],
  ] as const)
    expect((await visit(market.server.url, `/web/v1${path}`)).status, path).toBe(status)
})

it("returns the best bid on each of the owner's items", async () => {
  const [seller, maker] = [await trader(), await trader()]
  const { slug, ids } = await hats(seller, 6)
  const [first, second] = await coinsOf(market, maker)
  const trait = { kind: 'traits', traits: hat('Cap') } as const
  const bids = await bid(maker, slug, { target: trait, priceSats: 100_000, coins: [first!] })
  const { offerId } = bids.offers[0]!
  const agreement = { ...(await offering(market, maker, [ids[1]!], 120_000)), coins: [second!] }
  const offered = (await offer(maker, slug, agreement)).items[0]!.offerId
  const read = () => seller.client.call('listBestBids', { query: { inscriptionIds: ids.join(',') } })
  const found = await read()
  expect(found.bids.map(({ inscriptionId, bid }) => [inscriptionId, bid.offerId, bid.priceSats])).toEqual([
    [ids[0], offerId, 100_000],
    [ids[1], offered, 120_000],
    [ids[2], offerId, 100_000],
    [ids[4], offerId, 100_000],
  ])

  const params = { slug, offerId }
  const query = { walletBindingId: seller.walletBindingId }
  const fitting = await seller.client.call('listFittingItems', { params, query })
  expect(fitting.items.map((item) => item.inscriptionId).toSorted()).toEqual(
    [ids[0]!, ids[2]!, ids[4]!].toSorted(),
  )
  await declineBids(seller, ids[2]!)
  const page = (cursor?: string) =>
    seller.client.call('listFittingItems', {
      params,
      query: { ...query, limit: 1, ...(cursor ? { cursor } : {}) },
    })
  const newest = await page()
  const last = await page(newest.pagination.nextCursor!)
  expect([...newest.items, ...last.items].map((item) => item.inscriptionId)).toEqual([ids[4], ids[0]])
  expect(last.pagination.nextCursor).toBeNull()
  expect((await read()).bids.map((bid) => bid.inscriptionId)).toEqual([ids[0], ids[1], ids[4]])
  const foreign = maker.client.call('listFittingItems', { params, query })
  await expect(foreign).rejects.toMatchObject({ status: 403 })
  const unknownCollection = seller.client.call('listFittingItems', {
    params: { slug: 'unknown', offerId },
    query,
  })
  await expect(unknownCollection).rejects.toMatchObject({ status: 404 })
})
