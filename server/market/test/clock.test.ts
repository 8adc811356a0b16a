import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import type { MarketClock } from '@ordbook/db/process/clock.ts'
import { findFinalTime } from '@ordbook/indexer/inscriptions/queries.ts'
import { findRevivable } from '@ordbook/market/offers/queries.ts'
import { buy, list, offer } from '@ordbook/sdk/index.ts'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import {
  agreementFor,
  enter,
  setUpMarket,
  setUpTrader,
  type TestTrader,
  until,
} from '../../../e2e/support/market.ts'
import { offering } from '../../../e2e/support/offers.ts'

/** Jumps of the wall clock on a chain with reliable block times: orders are hidden and rejected, but not ended. */
const market = setUpMarket({ LOG_LEVEL: 'silent' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market)
let time: MarketClock
const DAY = 86_400_000
beforeAll(() => {
  time = market.server.context.time as MarketClock
})
beforeEach(async () => {
  time.asksChain = true
  await market.mine()
  await time.refresh()
})
afterEach(() => {
  vi.useRealTimers()
  time.asksChain = false
})

/** Moves the wall clock of the server and of this test ahead. */
const jump = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
/** Shifts the times of all indexed blocks. */
async function moveBlocks(days: number): Promise<void> {
  await market.sql`update blocks set mined_at = mined_at + make_interval(days => ${days})`
  await time.refresh()
}
/** Waits for several runs of the jobs, which run once per second. */
const waitForJobs = () => sleep(3500)

/** Creates a listing and an offer that expire in seven days. */
async function open() {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [listed, wanted] = ids as [string, string]
  const agreement = {
    inscriptionId: listed,
    priceSats: 50_000,
    coin: await market.coinOf(listed),
    maxFeeBps: 100,
  }
  await list(seller, slug, [agreement], 7)
  await offer(buyer, slug, await offering(market, buyer, [wanted], 40_000))
  await market.sql`update offers set expires_at = created_at + interval '168 hours' where inscription_id = ${wanted}`
  const states = async () => {
    const [row] = await market.sql`
      select (select state from listings where inscription_id = ${listed}) as listing,
        (select state from offers where inscription_id = ${wanted}) as offer`
    return row
  }
  /** Returns what the API shows: prices in the book and of items, the floor, and the number of offers on the second item. */
  const shown = async (trader: TestTrader) => {
    const call = trader.client.call.bind(trader.client)
    return {
      book: (await call('listListings', { query: { collectionSlug: slug } })).listings.map(
        (listing) => listing.priceSats,
      ),
      items: (await call('listCollectionInscriptions', { params: { slug }, query: {} })).items.map(
        (item) => item.priceSats,
      ),
      floor: (await call('listCollectionFloorStats', { query: { slugs: slug } })).data[0]!.floor,
      offers: (await call('listInscriptionOffers', { params: { id: wanted } })).offers.length,
    }
  }
  return { slug, listed, wanted, states, shown }
}
const OPEN = { book: [50_000], items: [50_000, null], floor: 50_000, offers: 1 }
const NOTHING = { book: [], items: [null, null], floor: null, offers: 0 }
const LIVE = { listing: 'buyable', offer: 'active' }

it('hides orders while the clock is eight days ahead', async () => {
  const { slug, listed, states, shown } = await open()
  expect(await shown(buyer)).toEqual(OPEN)
  const prepared = await agreementFor(market, buyer, [listed])
  jump(8 * DAY)
  // Earlier sessions have expired by this clock.
  const later = await enter(market.base, buyer.wallet, new Date(Date.now() + 8 * 86_400_000))
  expect(await shown(later)).toEqual(NOTHING)
  await expect(buy(later, slug, prepared)).rejects.toMatchObject({ status: 409 })
  await waitForJobs()
  expect(await states()).toEqual(LIVE)

  vi.useRealTimers()
  await waitForJobs()
  expect(await shown(buyer)).toEqual(OPEN)
  expect(await states()).toEqual(LIVE)
  await buy(buyer, slug, await agreementFor(market, buyer, [listed]))
})

it('hides orders that have expired by median time', async () => {
  const { slug, listed, states, shown } = await open()
  const prepared = await agreementFor(market, buyer, [listed])
  await moveBlocks(8)
  const later = await enter(market.base, buyer.wallet, new Date(Date.now() + 8 * 86_400_000))
  expect(await shown(later)).toEqual(NOTHING)
  await expect(buy(later, slug, prepared)).rejects.toMatchObject({ status: 409 })
  await waitForJobs()
  expect(await states()).toEqual(LIVE)
  await moveBlocks(-8)
  expect(await shown(buyer)).toEqual(OPEN)
})

it('ends orders that have expired by clock and chain', async () => {
  const { states } = await open()
  jump(8 * DAY)
  await moveBlocks(8)
  await until('both orders expired', async () => {
    const { listing, offer } = (await states())!
    return listing === 'expired' && offer === 'expired'
  })
  vi.useRealTimers()
  await moveBlocks(-8)
})

it('revives an offer only before its expiry', async () => {
  const { wanted } = await open()
  const now = new Date()
  await market.sql`update offers set expires_at = ${new Date(now.getTime() - DAY)}, state = 'invalidated' where inscription_id = ${wanted}`
  const [row] = await market.sql<
    { offerId: string }[]
  >`select offer_id from offers where inscription_id = ${wanted}`
  const canRevive = () => inTransaction(market.sql, (tx) => findRevivable(tx, row!.offerId, now))
  await market.sql`update settings set value = 'signet' where name = 'chain'`
  expect(await canRevive()).toBeNull()
  // Equivalent to a server clock that is eight days ahead of the chain.
  await moveBlocks(-8)
  expect(await canRevive()).toMatchObject({ offerId: row!.offerId })
  expect((await findFinalTime(market.sql, now)).getTime()).toBeLessThan(now.getTime() - 7 * DAY)
  await market.sql`update settings set value = 'regtest' where name = 'chain'`
  expect(await canRevive()).toBeNull()
  expect(await findFinalTime(market.sql, now)).toEqual(now)
  await moveBlocks(8)
})

it('reports the current height after the clock moves back', async () => {
  const status = async () => (await fetch(`${market.server.url}/status`)).json()
  await status()
  jump(-3_600_000)
  await market.mine(8)
  const height = await market.regtest.call<number>('getblockcount')
  await until('the current height', async () => {
    const { indexHeight, nodeHeight } = (await status()) as { indexHeight: number; nodeHeight: number }
    return indexHeight === height && nodeHeight === height
  })
})
