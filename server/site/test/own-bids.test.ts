import { bid, cancelBid } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { setUpMarket } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
const trader = async () => traderAtStorefront(market.server.url, (await market.trader()).wallet)

it("listOwnBids returns the session's offers on all collections", async () => {
  const [owner, buyer, other] = [await trader(), await trader(), await trader()]
  const one = await market.collection(owner.wallet, 2)
  const two = await market.collection(owner.wallet, 2)
  await giveHats(market, two.slug, two.ids)
  const bidOn = async (
    who: typeof buyer,
    slug: string,
    target: Parameters<typeof bid>[2]['target'],
    priceSats: number,
  ) => (await bid(who, slug, { target, priceSats, coins: await coinsOf(market, who) })).offers[0]!.offerId
  const all = { kind: 'all' } as const
  const caps = { kind: 'traits', traits: [{ type: 'Hat', values: ['Cap'] }] } as const
  const onOne = await bidOn(buyer, one.slug, all, 30_000)
  const onTrait = await bidOn(buyer, two.slug, caps, 40_000)
  const cancelled = await bidOn(buyer, two.slug, all, 20_000)
  await cancelBid(buyer, two.slug, cancelled)
  await bidOn(other, one.slug, all, 50_000)

  const { bids } = await buyer.client.call('listOwnBids')
  const { walletBindingId: actionBindingId } = buyer
  expect(bids).toMatchObject([
    { id: onTrait, collectionSlug: two.slug, target: caps, priceSats: 40_000, actionBindingId },
    { id: onOne, collectionSlug: one.slug, target: all, priceSats: 30_000, actionBindingId },
  ])
  const { rows } = await buyer.client.call('listMySentCollectionOffers', { params: { slug: one.slug } })
  expect([bids[1]]).toEqual(
    rows.map((row) => ({ ...row, collectionSlug: one.slug, collectionName: one.slug })),
  )
  await market.sql`update collection_offers set expires_at = now() - interval '1 minute' where offer_id = ${onOne}`
  expect((await buyer.client.call('listOwnBids')).bids.map(({ id }) => id)).toEqual([onTrait])
  expect((await owner.client.call('listOwnBids')).bids).toEqual([])
  expect((await fetch(`${market.server.url}/web/v1/own-bids`)).status).toBe(401)
})
