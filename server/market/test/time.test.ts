import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { list } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { enter, setUpMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { moveItem } from '../../../e2e/support/move-item.ts'

/** Responses that change over time, with a controlled clock, and response caching without a LISTEN connection. */
const market = setUpMarket()
let seller: TestTrader
const DAY = 86_400_000
beforeAll(async () => {
  seller = await market.trader()
})

/** Sets the server's clock ahead of the real time, and signs in again because tokens have expired by then. */
async function setDaysAhead(days: number): Promise<void> {
  market.server.context.clock = () => new Date(Date.now() + days * DAY)
  seller = await enter(market.base, seller.wallet, market.server.context.clock())
}

async function listOne(slug: string, id: string, priceSats: number, days?: 1 | 7) {
  const agreement = { inscriptionId: id, priceSats, coin: await market.coinOf(id), maxFeeBps: 100 }
  await list(seller, slug, [agreement], days)
}

const floorOf = async (slug: string) =>
  (await seller.client.call('listCollectionFloorStats', { query: { slugs: slug } })).data[0]!

it('returns floor changes since one and seven days ago', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const empty = { floor: null, listedCount: 0, ownerCount: 1, oneDayChange: null, sevenDayChange: null }
  expect(await floorOf(slug)).toMatchObject(empty)
  await listOne(slug, ids[0]!, 50_000)
  expect(await floorOf(slug)).toMatchObject({ floor: 50_000, oneDayChange: null, sevenDayChange: null })
  await setDaysAhead(2)
  expect(await floorOf(slug)).toMatchObject({ floor: 50_000, oneDayChange: 0, sevenDayChange: null })
  await listOne(slug, ids[1]!, 20_000)
  expect(await floorOf(slug)).toMatchObject({ floor: 20_000, oneDayChange: -60, sevenDayChange: null })
  await setDaysAhead(2.9)
  expect(await floorOf(slug)).toMatchObject({ floor: 20_000, oneDayChange: -60 })
  await setDaysAhead(3.1)
  expect(await floorOf(slug)).toMatchObject({ floor: 20_000, oneDayChange: 0, sevenDayChange: null })
  await setDaysAhead(8)
  expect(await floorOf(slug)).toMatchObject({ oneDayChange: 0, sevenDayChange: -60 })
  await setDaysAhead(9.1)
  expect(await floorOf(slug)).toMatchObject({ oneDayChange: 0, sevenDayChange: 0 })
  expect(await checkRollups({ ...market.server.context, sql: market.sql })).toEqual([])
  await setDaysAhead(0)
})

it('omits expired listings from cached responses', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listOne(slug, ids[0]!, 30_000, 1)
  await listOne(slug, ids[1]!, 40_000, 7)
  const readPrices = async () => ({
    floor: (await floorOf(slug)).floor,
    listed: (await floorOf(slug)).listedCount,
    book: (
      await seller.client.call('listListings', { query: { collectionSlug: slug, sort: 'price' } })
    ).listings.map((listing) => listing.priceSats),
    items: (
      await seller.client.call('listCollectionInscriptions', { params: { slug }, query: {} })
    ).items.map((item) => item.priceSats),
  })
  const both = { floor: 30_000, listed: 2, book: [30_000, 40_000], items: [30_000, 40_000] }
  const [row] = await market.sql<
    { expiresAt: Date }[]
  >`select min(expires_at) as expires_at from book_entries`
  const at = (moment: number) => {
    market.server.context.clock = () => new Date(moment)
  }
  const end = row!.expiresAt.getTime()
  expect(await readPrices()).toEqual(both)
  const { token } = seller.client
  await setDaysAhead(1 - 1 / 48)
  expect(await readPrices()).toEqual(both)
  at(end - 1)
  expect(await readPrices()).toEqual(both)
  at(end)
  expect(await readPrices()).toEqual({ floor: 40_000, listed: 1, book: [40_000], items: [null, 40_000] })
  expect(token).toBeDefined()
  await until('the job', async () => {
    const [{ count } = { count: 1 }] = await market.sql<
      { count: number }[]
    >`select count(*) as count from listings where state = 'expired'`
    return count === 1
  })
  expect(await readPrices()).toEqual({ floor: 40_000, listed: 1, book: [40_000], items: [null, 40_000] })
  const [step] = await market.sql<{ since: Date }[]>`
    select max(since) as since from floor_history where floor_sats = 40000`
  expect(step!.since.getTime()).toBe(end)
  // Only this collection: rendered rows of the previous test are days ahead.
  const differences = await checkRollups({ ...market.server.context, sql: market.sql })
  expect(differences.filter(({ where }) => where === slug)).toEqual([])
  await setDaysAhead(0)
})

it('returns current data after its LISTEN connection ends', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const owner = async () =>
    (await seller.client.call('listCollectionInscriptions', { params: { slug }, query: {} })).items[0]!
      .locationTxid
  const move = async (txid: string) => {
    await moveItem(market.sql, ids[0]!, txid)
  }
  const listeners = () => market.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'ordbook changes' and datname = current_database()`
  for (let round = 0; round < 5; round++) {
    await until('a listener', async () => {
      await owner()
      return (await listeners()).length === 1
    })
    await owner()
    await market.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'ordbook changes' and datname = current_database()`
    for (let n = 0; n < 5; n++) {
      const txid = `${round}${n}`.padEnd(64, 'a')
      await move(txid)
      expect(await owner()).toBe(txid)
    }
  }
})
