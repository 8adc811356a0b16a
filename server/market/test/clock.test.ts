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

/** A wall clock that jumps, on a chain whose times count: it refuses for a while and ends nothing. */
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

/** Sets the wall clock of the server, and of this test, so many milliseconds ahead. */
const jump = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
/** Moves the times of all blocks in the index. */
async function moveBlocks(days: number): Promise<void> {
  await market.sql`update blocks set mined_at = mined_at + make_interval(days => ${days})`
  await time.refresh()
}
/** Some turns of the jobs, one a second. */
const turns = () => sleep(3500)

/** A listing and an offer of seven days. */
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
  /** The prices that a visitor sees: in the book, on the item, as floor, and of the live offers on the other item. */
  const shown = async (trader: TestTrader) => {
    const call = trader.client.call.bind(trader.client)
    return {
      book: (await call('listListings', { query: { collectionSlug: slug } })).listings.map(
        (each) => each.priceSats,
      ),
      items: (await call('listCollectionInscriptions', { params: { slug }, query: {} })).items.map(
        (each) => each.priceSats,
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

it('hides and rejects orders that a clock jump of eight days expired, and restores them afterwards', async () => {
  const { slug, listed, states, shown } = await open()
  expect(await shown(buyer)).toEqual(OPEN)
  const prepared = await agreementFor(market, buyer, [listed])
  jump(8 * DAY)
  // The sessions of before have run out too, by this clock.
  const later = await enter(market.base, buyer.wallet, new Date(Date.now() + 8 * 86_400_000))
  expect(await shown(later)).toEqual(NOTHING)
  await expect(buy(later, slug, prepared)).rejects.toMatchObject({ status: 409 })
  await turns()
  expect(await states()).toEqual(LIVE)

  vi.useRealTimers()
  await turns()
  expect(await shown(buyer)).toEqual(OPEN)
  expect(await states()).toEqual(LIVE)
  await buy(buyer, slug, await agreementFor(market, buyer, [listed]))
})

it("rejects by the chain's median time while the wall clock is behind", async () => {
  const { slug, listed, states, shown } = await open()
  const prepared = await agreementFor(market, buyer, [listed])
  await moveBlocks(8)
  const later = await enter(market.base, buyer.wallet, new Date(Date.now() + 8 * 86_400_000))
  expect(await shown(later)).toEqual(NOTHING)
  await expect(buy(later, slug, prepared)).rejects.toMatchObject({ status: 409 })
  await turns()
  expect(await states()).toEqual(LIVE)
  await moveBlocks(-8)
  expect(await shown(buyer)).toEqual(OPEN)
})

it('ends expired orders once wall clock and chain agree', async () => {
  const { states } = await open()
  jump(8 * DAY)
  await moveBlocks(8)
  await until('both ends', async () => {
    const { listing, offer } = (await states())!
    return listing === 'expired' && offer === 'expired'
  })
  vi.useRealTimers()
  await moveBlocks(-8)
})

it('restores orders with their coins after a clock jump', async () => {
  const { wanted } = await open()
  const now = new Date()
  await market.sql`update offers set expires_at = ${new Date(now.getTime() - DAY)}, state = 'invalidated' where inscription_id = ${wanted}`
  const [row] = await market.sql<
    { offerId: string }[]
  >`select offer_id from offers where inscription_id = ${wanted}`
  const canRevive = () => inTransaction(market.sql, (tx) => findRevivable(tx, row!.offerId, now))
  await market.sql`update settings set value = 'signet' where name = 'chain'`
  expect(await canRevive()).toBeNull()
  // For a server whose clock has jumped ahead, the chain is days behind.
  await moveBlocks(-8)
  expect(await canRevive()).toMatchObject({ offerId: row!.offerId })
  expect((await findFinalTime(market.sql, now)).getTime()).toBeLessThan(now.getTime() - 7 * DAY)
  await market.sql`update settings set value = 'regtest' where name = 'chain'`
  expect(await canRevive()).toBeNull()
  expect(await findFinalTime(market.sql, now)).toEqual(now)
  await moveBlocks(8)
})

it('reports the index height after the wall clock went back an hour', async () => {
  const status = async () => (await fetch(`${market.server.url}/status`)).json()
  await status()
  jump(-3_600_000)
  await market.mine(8)
  const height = await market.regtest.call<number>('getblockcount')
  await until('the height of now', async () => {
    const { indexHeight, nodeHeight } = (await status()) as { indexHeight: number; nodeHeight: number }
    return indexHeight === height && nodeHeight === height
  })
})
