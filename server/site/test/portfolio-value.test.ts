import { acceptProposal, buy, propose, settle } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { rested } from '../../../e2e/escrows/support/escrow-market.ts'
import { giveHats } from '../../../e2e/purchases/support/hats.ts'
import { agreementFor, listAll, setUpMarket } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'
import { traderAtStorefront, visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket({ tuning: { responseCacheMegabytes: 0 } })

const trader = async () => traderAtStorefront(market.server.url, (await market.trader()).wallet)
type Trader = Awaited<ReturnType<typeof trader>>
const portfolioOf = ({ client }: Trader, days = 7) => client.call('getPortfolioValue', { query: { days } })

/** Moves the past of items back: when they were inscribed and when they were listed. */
async function age(ids: readonly string[], inscribed: string, opened: string): Promise<void> {
  await market.sql`
    update item_transfers set at = at - ${inscribed}::interval where inscription_id = any(${ids as string[]}::text[])`
  await market.sql`
    update book_entries set opened_at = opened_at - ${opened}::interval where inscription_id = any(${ids as string[]}::text[])`
}

it('is the sum of the trait floors, otherwise of the floors', async () => {
  const owner = await trader()
  const hats = await market.collection(owner.wallet, 4)
  await giveHats(market, hats.slug, hats.ids)
  const plain = await market.collection(owner.wallet, 2)
  const unlisted = await market.collection(owner.wallet, 3)
  await listAll(market, owner, hats.slug, hats.ids.slice(0, 1), 20_000)
  await listAll(market, owner, hats.slug, hats.ids.slice(1, 2), 50_000)
  await listAll(market, owner, plain.slug, plain.ids.slice(0, 1), 30_000)
  const now = await portfolioOf(owner)
  const ids = [...hats.ids, ...plain.ids, ...unlisted.ids]
  const { values } = await owner.client.call('listItemValues', { query: { inscriptionIds: ids.join(',') } })
  const { holdings } = await owner.client.call('listHoldings', {
    params: { address: owner.wallet.ordinalsAddress },
  })
  const floorOf = new Map(holdings.map((each) => [each.inscriptionId, each.collectionFloorSats]))
  const shown = values.reduce(
    (sum, each) => sum + (each.traitFloorSats ?? floorOf.get(each.inscriptionId) ?? 0),
    0,
  )
  expect(now).toMatchObject({ valueSats: 200_000, valuedCount: 6, unvaluedCount: 3 })
  expect(shown).toBe(200_000)
})

it('begins at the first known value and splits the change', async () => {
  const [owner, buyer] = [await trader(), await trader()]
  const { slug, ids } = await market.collection(owner.wallet, 4)
  await listAll(market, owner, slug, ids.slice(0, 1), 30_000)
  expect((await portfolioOf(owner)).points).toHaveLength(1)
  await age(ids, '6 days', '3 days')
  const before = await portfolioOf(owner)
  expect(before).toMatchObject({ valueSats: 120_000, priceChangeSats: 0, itemChangeSats: 0 })
  // Half-days of the last three days, and now.
  expect(before.points.map(({ valueSats }) => valueSats)).toEqual(Array(before.points.length).fill(120_000))
  expect(before.points.length).toBe(7)

  // A lower price, and a sale of one of the four items.
  await listAll(market, owner, slug, ids.slice(1, 2), 20_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  await market.mine()
  expect(await portfolioOf(owner)).toMatchObject({
    valueSats: 60_000,
    valuedCount: 3,
    priceChangeSats: -30_000,
    itemChangeSats: -30_000,
  })
  expect(await portfolioOf(buyer)).toMatchObject({
    valueSats: 20_000,
    valuedCount: 1,
    points: [{ valueSats: 20_000 }],
  })
  expect((await portfolioOf(owner, 30)).points.at(-1)).toMatchObject({ valueSats: 60_000 })
})

it('counts the items of a swap', async () => {
  const [proposer, acceptor] = [await trader(), await trader()]
  const mine = await market.collection(proposer.wallet, 2)
  const yours = await market.collection(acceptor.wallet, 2)
  await listAll(market, proposer, mine.slug, mine.ids.slice(1), 30_000)
  await listAll(market, acceptor, yours.slug, yours.ids.slice(1), 50_000)
  await age([...mine.ids, ...yours.ids], '9 days', '8 days')
  const items = async (ids: readonly string[]) => [
    { inscriptionId: ids[0]!, coin: await market.coinOf(ids[0]!) },
  ]
  const [gives, gets] = [await items(mine.ids), await items(yours.ids)]
  const proposal = await propose(
    proposer,
    {
      visibility: 'private',
      offeredInscriptionIds: [mine.ids[0]!],
      offeredBtcSats: 0,
      wantedLegs: [
        {
          collectionSlug: yours.slug,
          quantity: 1,
          target: { kind: 'inscriptions', inscriptionIds: [yours.ids[0]!] },
        },
      ],
      requestedBtcSats: 0,
    },
    [],
  )
  const coins = await coinsOf(market, acceptor)
  const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: yours.ids[0]! }]
  const limits = { maxMarketSats: 100_000, maxNetworkSats: 100_000 }
  const { acceptanceId } = await acceptProposal(acceptor, proposal.id, fills, {
    gives: gets,
    gets: gives,
    netSats: 0,
    coins,
    ...limits,
  })
  await settle(proposer, acceptanceId, { gives, gets, netSats: 0, coins: [] })
  await market.mine()
  expect(await portfolioOf(proposer)).toMatchObject({
    valueSats: 80_000,
    itemChangeSats: 20_000,
    priceChangeSats: 0,
  })
  expect(await portfolioOf(acceptor)).toMatchObject({
    valueSats: 80_000,
    itemChangeSats: -20_000,
    priceChangeSats: 0,
  })
})

it('counts an item in escrow', async () => {
  const owner = await trader()
  const { slug, ids } = await market.collection(owner.wallet, 1)
  expect(await portfolioOf(owner)).toMatchObject({ valueSats: 0, unvaluedCount: 1, points: [] })
  await rested(market, owner, slug, ids)
  expect(await portfolioOf(owner)).toMatchObject({ valuedCount: 1 })
})

it('requires a session', async () => {
  expect((await visit(market.server.url, '/web/v1/portfolio-value')).status).toBe(401)
})
