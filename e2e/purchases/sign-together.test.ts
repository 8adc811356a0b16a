import {
  ApiError,
  bid,
  counter,
  type ListingAgreement,
  list,
  offer,
  signTogether,
  type Trader,
  WalletDeclined,
} from '@ordbook/sdk/index.ts'
import type { Wallet } from '@ordbook/sdk/wallet.ts'
import { expect, it } from 'vitest'
import { setUpMarket, type TestTrader } from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'

const market = setUpMarket()

/** Wraps a trader whose wallet signs several PSBTs per request. Also returns the number of PSBTs in each request. */
function counting(trader: TestTrader, refusal?: Error) {
  const requests: number[] = []
  const wallet: Wallet = Object.assign(Object.create(trader.wallet) as Wallet, {
    signPsbts: async (asked) => {
      requests.push(asked.length)
      if (refusal) throw refusal
      const signed = []
      for (const each of asked) signed.push(await trader.wallet.signPsbt(each.psbtBase64, each.inputsToSign))
      return signed
    },
  } satisfies Partial<Wallet>)
  return { trader: { ...trader, wallet }, requests }
}

const outcomes = (results: readonly PromiseSettledResult<unknown>[]) => results.map(({ status }) => status)

/** Creates a seller's inscriptions, each with an offer from a buyer. */
async function offered(count: number) {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, count)
  const created = await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  const offerOf = new Map(created.items.map(({ inscriptionId, offerId }) => [inscriptionId, offerId]))
  return { seller, buyer, slug, ids, offerOf }
}

it('counters three offers with one signing request', async () => {
  const { seller, ids, offerOf } = await offered(3)
  const { trader, requests } = counting(seller)
  const sales = await Promise.all(ids.map((id) => selling(market, id, 50_000)))
  const counters = sales.map(
    (sale) => (one: typeof trader) => counter(one, offerOf.get(sale.inscriptionId)!, sale),
  )
  const results = await signTogether(trader, [
    counters[0]!,
    (one) => counter(one, '00000000-0000-4000-8000-000000000000', sales[1]!),
    counters[2]!,
  ])
  expect(outcomes(results)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((results[1] as PromiseRejectedResult).reason).toBeInstanceOf(ApiError)
  // Transfer, sale and recovery for each of the two remaining offers.
  expect(requests).toEqual([6])
  const rows = await market.sql`select 1 from offers where kind = 'seller_counter' and state = 'active'`
  expect(rows).toHaveLength(2)
})

it('lists in two collections with one signing request', async () => {
  const seller = await market.trader()
  const collections = [await market.collection(seller.wallet, 2), await market.collection(seller.wallet, 1)]
  const actions = []
  for (const { slug, ids } of collections) {
    const agreements: ListingAgreement[] = []
    for (const inscriptionId of ids)
      agreements.push({
        inscriptionId,
        priceSats: 60_000,
        coin: await market.coinOf(inscriptionId),
        maxFeeBps: 100,
      })
    actions.push((one: Trader) => list(one, slug, agreements))
  }
  const listed = async () => {
    const found = []
    for (const { slug } of collections)
      found.push(...(await seller.client.call('listListings', { query: { collectionSlug: slug } })).listings)
    return found.length
  }
  const declining = counting(seller, new WalletDeclined('no'))
  const refused = await signTogether(declining.trader, actions)
  expect(outcomes(refused)).toEqual(['rejected', 'rejected'])
  for (const each of refused) expect((each as PromiseRejectedResult).reason).toBeInstanceOf(WalletDeclined)
  expect(await listed()).toBe(0)

  const { trader, requests } = counting(seller)
  expect(outcomes(await signTogether(trader, actions))).toEqual(['fulfilled', 'fulfilled'])
  // The first listing has two transfers, two legs and a recovery. The second has one transfer, one leg and a recovery.
  expect(requests).toEqual([4 + 3])
  expect(await listed()).toBe(3)
})

it('bids at ten prices with one signing request', async () => {
  const [maker, owner] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(owner.wallet, 3)
  const { trader, requests } = counting(maker)
  const target = { kind: 'all' } as const
  const coins = await coinsOf(market, maker)
  const ladder = await bid(trader, slug, {
    target,
    priceSats: 100_000,
    offerCount: 10,
    ladderStepSats: 5000,
    coins,
  })
  expect(ladder.offers).toHaveLength(10)
  expect(requests).toEqual([10])

  const wishes = await Promise.all(ids.map((id, n) => offering(market, maker, [id], 20_000 + n * 1000)))
  const results = await signTogether(
    trader,
    wishes.map((wish) => (one) => offer(one, slug, wish)),
  )
  expect(outcomes(results)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  expect(requests).toEqual([10, 3])
})
