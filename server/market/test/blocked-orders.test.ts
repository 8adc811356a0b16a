import { acceptOffer, bid, buy, counter, offer, propose } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, enter, listAll, serveAgain, setUpMarket, until } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()

async function restart(settings: Record<string, string>): Promise<void> {
  await market.sql.end()
  await market.server.close()
  await serveAgain(market, market.databaseUrl, settings)
  await market.server.sync()
}

it('ends the orders of a blocked wallet for good', async () => {
  const blocked = await market.trader('p2wpkh', 40_000_000)
  const other = await market.trader('p2wpkh', 40_000_000)
  const { slug, ids } = await market.collection([blocked.wallet, other.wallet], 4)
  const owned = async (trader: typeof blocked) => {
    const coins = await Promise.all(ids.map(async (id) => ({ id, coin: await market.coinOf(id) })))
    const script = Buffer.from(trader.wallet.ordinalsScript)
    return coins.filter(({ coin }) => script.equals(coin.script)).map(({ id }) => id)
  }
  const [listed, countered] = (await owned(blocked)) as [string, string]
  const [wanted, kept] = (await owned(other)) as [string, string]
  await listAll(market, blocked, slug, [listed], 100_000)
  await listAll(market, other, slug, [kept], 110_000)
  const { items } = await offer(blocked, slug, await offering(market, blocked, [wanted], 90_000))
  await bid(blocked, slug, {
    target: { kind: 'all' },
    priceSats: 50_000,
    coins: await coinsOf(market, blocked),
  })
  const received = await offer(other, slug, await offering(market, other, [countered], 80_000))
  const sale = await selling(market, countered, 85_000)
  await counter(blocked, received.items[0]!.offerId, sale)
  const proposer = await traderAtStorefront(market.server.url, blocked.wallet)
  const wantedLegs = [{ collectionSlug: slug, quantity: 1, target: { kind: 'all' as const } }]
  await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: [],
      offeredBtcSats: 70_000,
      wantedLegs,
      requestedBtcSats: 0,
    },
    await coinsOf(market, proposer),
  )

  const open = async () => {
    const { client } = await enter(market.base, other.wallet)
    const { listings } = await client.call('listListings', { query: { collectionSlug: slug } })
    const states = await market.sql<{ kind: string }[]>`
      select kind from offers where state = 'active'
      union all select 'bid' from collection_offers where state = 'active'
      union all select 'proposal' from proposals where state = 'active' order by 1`
    return {
      listings: listings.map(({ inscriptionId }) => inscriptionId).toSorted(),
      others: states.map(({ kind }) => kind),
    }
  }
  expect(await open()).toEqual({
    listings: [listed, kept].toSorted(),
    others: ['bid', 'buyer_offer', 'buyer_offer', 'proposal', 'seller_counter'],
  })

  await restart({ BLOCKED_ADDRESSES: blocked.wallet.ordinalsAddress })
  const ended = { listings: [kept], others: ['buyer_offer'] }
  await until('the orders to end', async () => JSON.stringify(await open()) === JSON.stringify(ended))
  const buyer = await enter(market.base, other.wallet)
  await expect(
    acceptOffer(buyer, items[0]!.offerId, await selling(market, wanted, 90_000)),
  ).rejects.toMatchObject({ code: 'offer-not-active' })

  await restart({})
  expect(await open()).toEqual(ended)
  const seller = await enter(market.base, blocked.wallet)
  await listAll(market, seller, slug, [listed], 120_000)
  const again = await enter(market.base, other.wallet)
  await buy(again, slug, await agreementFor(market, again, [listed]))
}, 240_000)
