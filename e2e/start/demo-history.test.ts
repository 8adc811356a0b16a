import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import { countDifferences, listSlugs } from '@ordbook/operations/audit/check-queries.ts'
import { Client } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { COLLECTIONS } from '../../scripts/demo/collections.ts'
import { listInThePast } from '../../scripts/demo/past-listings.ts'
import { seedChain, seedListings, seedMarket } from '../../scripts/demo/seed.ts'
import { setUpMarket } from '../support/market.ts'

const market = setUpMarket()
const collections = async () => {
  const client = new Client(`${market.server.url}/web/v1`)
  const { collections } = await client.call('browseCollections', { query: { sort: 'name' } })
  return collections
}

beforeAll(async () => {
  const { sql, server } = market
  const demo = [market.node.url, market.dataDir, 'regtest', () => {}] as const
  await seedChain(...demo)
  await seedMarket({ sql, marketAddress: server.marketAddress }, ...demo)
  await server.sync()
  // Blocks of a test's chain cannot be older than its tip.
  await sql`update inscription_rows set inscribed_at = inscribed_at - interval '30 days'`
  await seedListings(sql, market.dataDir, 'regtest')
}, 120_000)

it('every collection of the demo has a month of floors', async () => {
  const rows = await collections()
  expect(rows.map(({ slug }) => slug).toSorted()).toEqual(COLLECTIONS.map(({ slug }) => slug).toSorted())
  const client = new Client(`${market.server.url}/web/v1`)
  for (const { slug, floorLine, floorSats, listedCount } of rows) {
    expect([slug, floorSats, listedCount], 'all listings have ended').toEqual([slug, null, 0])
    expect(floorLine.filter((sats) => sats !== null).length, slug).toBeGreaterThan(floorLine.length - 2)
    expect(new Set(floorLine).size, slug).toBeGreaterThan(3)
    const { floor } = await client.call('getCollectionHistory', { params: { slug }, query: { days: 30 } })
    expect(floor.length, slug).toBeGreaterThan(20)
  }
})

it('the floors are what the market derives from its log', async () => {
  for (const { collectionId, slug } of await listSlugs(market.sql))
    expect([slug, await countDifferences(market.sql, collectionId)]).toEqual([slug, []])
  expect(await listUnexplained(market.sql)).toEqual([])
  const [row] = await market.sql<{ live: number; ended: number }[]>`
    select count(*) filter (where state in ('buyable', 'hidden_locked', 'pending_public'))::int as live,
      count(*) filter (where ended_at < now() and ended_at > listed_at)::int as ended from listings`
  expect(row).toEqual({ live: 0, ended: 36 * COLLECTIONS.length })
})

it('adds the listings once, and notifies nobody', async () => {
  const count = async () => (await market.sql`select 1 from listings`).length
  const before = await count()
  await listInThePast(market.sql, 'regtest', new Date())
  expect(await count()).toBe(before)
  expect(await market.sql`select kind from inbox`).toEqual([])
})
