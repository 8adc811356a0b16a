import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { list } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { enter, setUpMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { moveItem } from '../../../e2e/support/move-item.ts'

/** Changes by the passing of time, under a clock of ours; and kept responses without a listening connection. */
const market = setUpMarket()
let seller: TestTrader
const DAY = 86_400_000
beforeAll(async () => {
  seller = await market.trader()
})

/** Moves the server's clock so many days ahead of the real one; signs in again, as tokens have run out by then. */
async function ahead(days: number): Promise<void> {
  market.server.context.clock = () => new Date(Date.now() + days * DAY)
  seller = await enter(market.base, seller.wallet, market.server.context.clock())
}

async function listOne(slug: string, id: string, priceSats: number, days?: 1 | 7) {
  const agreement = { inscriptionId: id, priceSats, coin: await market.coinOf(id), maxFeeBps: 100 }
  await list(seller, slug, [agreement], days)
}

const floorOf = async (slug: string) =>
  (await seller.client.call('listCollectionFloorStats', { query: { slugs: slug } })).data[0]!

it('compares the floor with the floors of exactly a day and a week ago', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const empty = { floor: null, listedCount: 0, ownerCount: 1, oneDayChange: null, sevenDayChange: null }
  expect(await floorOf(slug)).toMatchObject(empty)
  await listOne(slug, ids[0]!, 50_000)
  expect(await floorOf(slug)).toMatchObject({ floor: 50_000, oneDayChange: null, sevenDayChange: null })
  await ahead(2)
  expect(await floorOf(slug)).toMatchObject({ floor: 50_000, oneDayChange: 0, sevenDayChange: null })
  await listOne(slug, ids[1]!, 20_000)
  expect(await floorOf(slug)).toMatchObject({ floor: 20_000, oneDayChange: -60, sevenDayChange: null })
  await ahead(2.9)
  expect(await floorOf(slug)).toMatchObject({ floor: 20_000, oneDayChange: -60 })
  await ahead(3.1)
  expect(await floorOf(slug)).toMatchObject({ floor: 20_000, oneDayChange: 0, sevenDayChange: null })
  await ahead(8)
  expect(await floorOf(slug)).toMatchObject({ oneDayChange: 0, sevenDayChange: -60 })
  await ahead(9.1)
  expect(await floorOf(slug)).toMatchObject({ oneDayChange: 0, sevenDayChange: 0 })
  expect(await checkRollups({ ...market.server.context, sql: market.sql })).toEqual([])
  await ahead(0)
})

it('removes expired rows from cached responses immediately, before any job runs', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listOne(slug, ids[0]!, 30_000, 1)
  await listOne(slug, ids[1]!, 40_000, 7)
  const look = async () => ({
    floor: (await floorOf(slug)).floor,
    listed: (await floorOf(slug)).listedCount,
    book: (
      await seller.client.call('listListings', { query: { collectionSlug: slug, sort: 'price' } })
    ).listings.map((each) => each.priceSats),
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
  // The token of now: only the clock of the reads is moved, around a single moment.
  expect(await look()).toEqual(both)
  const { token } = seller.client
  await ahead(1 - 1 / 48)
  expect(await look()).toEqual(both)
  at(end - 1)
  expect(await look()).toEqual(both)
  at(end)
  expect(await look()).toEqual({ floor: 40_000, listed: 1, book: [40_000], items: [null, 40_000] })
  expect(token).toBeDefined()
  await until('the job', async () => {
    const [{ count } = { count: 1 }] = await market.sql<
      { count: number }[]
    >`select count(*) as count from listings where state = 'expired'`
    return count === 1
  })
  expect(await look()).toEqual({ floor: 40_000, listed: 1, book: [40_000], items: [null, 40_000] })
  const [step] = await market.sql<{ since: Date }[]>`
    select max(since) as since from floor_history where floor_sats = 40000`
  expect(step!.since.getTime()).toBe(end)
  // Of this collection: the test before was days ahead, and its rendered rows are.
  const differences = await checkRollups({ ...market.server.context, sql: market.sql })
  expect(differences.filter(({ where }) => where === slug)).toEqual([])
  await ahead(0)
})

it('caches no response while no connection listens for changes', async () => {
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
