import { acceptOffer, bid, buy, fill, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { agreementFor, listAll, setUpMarket } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { traderAtStorefront, visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket({ SELLER_FEE_BPS: '100', BUYER_FEE_BPS: '200', FILL_FEE_BPS: '300' })

const trader = async () => traderAtStorefront(market.server.url, (await market.trader()).wallet)
type Trader = Awaited<ReturnType<typeof trader>>

const salesOf = async ({ client }: Trader, query = {}) => client.call('listOwnSales', { query })
const valuesOf = async ({ client }: Trader, ids: readonly string[]) =>
  (await client.call('listItemValues', { query: { inscriptionIds: ids.join(',') } })).values

/** Creates a collection whose items have the same Kind and alternate between Cap and None. */
async function hats(owner: Trader, count: number) {
  const { slug, ids } = await market.collection(owner.wallet, count)
  await giveHats(market, slug, ids, { Kind: 'Hat' })
  return { slug, ids: ids as [string, string, string, string, string] }
}

it('listItemValues returns the highest trait floor', async () => {
  const owner = await trader()
  const { slug, ids } = await hats(owner, 5)
  const floors = async () => (await valuesOf(owner, ids)).map((each) => each.traitFloorSats)
  expect(await floors()).toEqual([null, null, null, null, null])
  await listAll(market, owner, slug, [ids[1]], 20_000)
  await listAll(market, owner, slug, [ids[2]], 50_000)
  await listAll(market, owner, slug, [ids[4]], 70_000)
  expect(await floors()).toEqual([50_000, 20_000, 50_000, 20_000, 50_000])
  await market.sql`update book_entries set expires_at = now() - interval '1 minute' where price_sats = 20000`
  expect(await floors()).toEqual([50_000, 50_000, 50_000, 50_000, 50_000])
  const [unknown] = await valuesOf(owner, [`${'0'.repeat(64)}i0`])
  expect(unknown).toEqual({
    inscriptionId: `${'0'.repeat(64)}i0`,
    traitFloorSats: null,
    traitFloorOf: null,
    lastBought: null,
  })
})

it('quoteListing and listItemValues return the same trait floor', async () => {
  const owner = await trader()
  const { slug, ids } = await hats(owner, 5)
  await listAll(market, owner, slug, [ids[1]], 30_000)
  await listAll(market, owner, slug, [ids[2]], 60_000)
  // Disable the trigger, which would recompute the collection's floor for each row.
  await market.sql`alter table book_entries disable trigger book_entries_made`
  await market.sql`
    insert into book_entries (collection_id, listing_id, inscription_id, opened_by, price_sats, listed_at, expires_at, opened_at)
    select collection_id, listing_id, inscription_id, -n, price_sats, listed_at, expires_at, opened_at
    from book_entries, generate_series(1, 2000) n where price_sats = 30000`
  await market.sql`alter table book_entries enable trigger book_entries_made`
  const [value] = await valuesOf(owner, [ids[4]])
  const quote = await owner.client.call('quoteListing', {
    params: { slug },
    body: { walletBindingId: owner.walletBindingId, items: [{ inscriptionId: ids[4], priceSats: 70_000 }] },
  })
  expect(value).toMatchObject({ traitFloorSats: 60_000, traitFloorOf: 'Cap' })
  expect(quote.comparisons[0]!.traitFloor).toMatchObject({ type: 'Hat', value: 'Cap', floorSats: 60_000 })
})

it('listOwnSales returns prices and fees of both sides', async () => {
  const [seller, buyer] = [await trader(), await trader()]
  const { slug, ids } = await hats(seller, 3)
  await listAll(market, seller, slug, [ids[0]], 100_000)
  await buy(buyer, slug, { ...(await agreementFor(market, buyer, [ids[0]])), maxFeeBps: 300 })
  await market.mine()
  const { items } = await offer(buyer, slug, {
    ...(await offering(market, buyer, [ids[1]], 60_000)),
    maxFeeBps: 300,
  })
  await acceptOffer(seller, items[0]!.offerId, await selling(market, ids[1], 60_000))
  await market.mine()
  const coins = await coinsOf(market, buyer)
  const submitted = await bid(buyer, slug, { target: { kind: 'all' }, priceSats: 50_000, coins })
  await fill(seller, slug, submitted.offers[0]!.offerId, await selling(market, ids[2], 50_000, 300))
  await market.mine()

  const bought = (await salesOf(buyer)).sales
  const of = (sales: typeof bought) =>
    sales.map(({ side, inscriptionId, priceSats, feesSats, costSats }) => [
      side,
      ids.indexOf(inscriptionId),
      priceSats,
      feesSats,
      costSats,
    ])
  expect(of(bought)).toEqual([
    ['bought', 2, 50_000, 0, null],
    ['bought', 1, 60_000, 1200, null],
    ['bought', 0, 100_000, 2000, null],
  ])
  expect(bought[2]).toMatchObject({ name: `${slug} #0`, collectionSlug: slug, priceUsd: null })
  expect(of((await salesOf(seller)).sales)).toEqual([
    ['sold', 2, 50_000, 1500, null],
    ['sold', 1, 60_000, 600, null],
    ['sold', 0, 100_000, 1000, null],
  ])
  const buyerAddress = buyer.wallet.ordinalsAddress
  expect((await valuesOf(seller, ids)).map((each) => each.lastBought)).toMatchObject([
    { buyerAddress, paidSats: 102_000 },
    { buyerAddress, paidSats: 61_200 },
    { buyerAddress, paidSats: 50_000 },
  ])

  // A purchase here is the cost of the item.
  await listAll(market, buyer, slug, [ids[0]], 150_000, 300)
  await buy(seller, slug, { ...(await agreementFor(market, seller, [ids[0]])), maxFeeBps: 300 })
  await market.mine()
  expect(of((await salesOf(buyer, { limit: 1 })).sales)).toEqual([['sold', 0, 150_000, 1500, 102_000]])
  // After a sale elsewhere, the price paid here is not the cost.
  await market.sql`
    insert into sales (sale_type, txid, inscription_id, seller_script, buyer_script, price_sats, sold_at, height, rule, confidence)
    values ('external', ${'ab'.repeat(32)}, ${ids[0]}, ${seller.wallet.ordinalsScript}, ${buyer.wallet.ordinalsScript}, 5, now(), 100000,
      'signature', 'high')`
  expect((await valuesOf(seller, [ids[0]]))[0]!.lastBought).toBeNull()
  expect((await salesOf(buyer)).sales).toHaveLength(4)
})

it('listOwnSales filters by period', async () => {
  const [seller, buyer] = [await trader(), await trader()]
  const { slug, ids } = await hats(seller, 4)
  await listAll(market, seller, slug, ids, 20_000)
  await buy(buyer, slug, { ...(await agreementFor(market, buyer, ids.slice(0, 3))), maxFeeBps: 300 })
  await market.mine()
  const saleKeys: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof salesOf>> = await salesOf(buyer, {
      limit: 2,
      ...(cursor ? { cursor } : {}),
    })
    saleKeys.push(...page.sales.map((sale) => sale.inscriptionId))
    cursor = page.pagination.nextCursor
  }
  expect(saleKeys.toSorted()).toEqual(ids.slice(0, 3).toSorted())
  const { soldAt } = (await salesOf(buyer)).sales[0]!
  expect((await salesOf(buyer, { since: soldAt })).sales).toHaveLength(3)
  expect((await salesOf(buyer, { until: soldAt })).sales).toEqual([])
  expect((await salesOf(await trader())).sales).toEqual([])
  const path = '/web/v1/own-sales'
  expect((await visit(market.server.url, path)).status).toBe(401)
  await expect(salesOf(buyer, { since: 'yesterday' })).rejects.toMatchObject({ status: 400 })
  await expect(salesOf(buyer, { since: '2026-02-31T99:00:00Z' })).rejects.toMatchObject({ status: 400 })
  await expect(
    valuesOf(
      buyer,
      Array.from({ length: 49 }, () => ids[0]),
    ),
  ).rejects.toMatchObject({
    status: 400,
  })
})
