import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { listCollections } from '@ordbook/site/collections/collection-queries.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, setUpTrader } from '../../../e2e/support/market.ts'
import { visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
const seller = setUpTrader(market)
const buyer = setUpTrader(market)

const read = async (path: string) => {
  const { status, body } = await visit(market.server.url, `/web/v1${path}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const namesOf = (answer: { items: { name: string }[] }) => answer.items.map((item) => item.name)

it('fresh items are sorted newest first', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 4)
  const name = (n: number) => `${slug} #${n}`
  expect(namesOf(await read('/fresh-items?of=inscribed'))).toEqual([3, 2, 1, 0].map(name))
  expect(namesOf(await read('/fresh-items?of=near-floor'))).toEqual([])
  for (const [n, price] of [100_000, 105_000, 106_000, 200_000].entries())
    await listAll(market, seller, slug, [ids[n]!], price)
  const near = await read('/fresh-items?of=near-floor')
  expect(namesOf(near)).toEqual([1, 0].map(name))
  expect(near.items[0]).toMatchObject({ priceSats: 105_000, collection: slug, rank: null })
  expect((await visit(market.server.url, '/web/v1/fresh-items?of=all')).status).toBe(400)
  expect((await visit(market.server.url, '/web/v1/fresh-items')).status).toBe(400)
})

it('collections are ranked by volume, sales or age', async () => {
  const quiet = await market.collection(seller.wallet, 1)
  const busy = await market.collection(seller.wallet, 3)
  await listAll(market, seller, busy.slug, busy.ids, 100_000)
  for (const id of busy.ids.slice(0, 2)) {
    await buy(buyer, busy.slug, await agreementFor(market, buyer, [id]))
    await market.mine()
  }
  await market.server.sync()
  // Move one of the sales back 12 days.
  await market.sql`
    update sales set sold_at = sold_at - interval '12 days'
    where inscription_id = ${busy.ids[0]!}`
  await market.sql`select rebuild_collection(collection_id) from collections where slug = ${busy.slug}`
  const rowOf = async (query: string) =>
    (await read(`/collections?slugs=${busy.slug}&${query}`)).collections[0]
  for (const [window, sales] of [
    ['1h', 1],
    ['24h', 1],
    ['7d', 1],
    ['all', 2],
  ] as const)
    expect(await rowOf(`window=${window}`), window).toMatchObject({
      salesCount: sales,
      volumeSats: sales * 100_000,
    })
  const row = await rowOf('')
  expect(row.lastSold).toHaveLength(2)
  expect(row.floorLine).toHaveLength(24)
  expect(row.floorLine.at(-1)).toBe(100_000)
  expect(row.floorLine[0]).toBeNull()
  const slugs = async (query: string) =>
    (await read(`/collections?${query}`)).collections.map((collection: { slug: string }) => collection.slug)
  expect((await slugs('sort=sales&window=all'))[0]).toBe(busy.slug)
  expect((await slugs('sort=new')).slice(0, 2)).toEqual([busy.slug, quiet.slug])
  expect(await slugs(`slugs=${quiet.slug},unknown,${busy.slug}&sort=volume`)).toEqual([busy.slug, quiet.slug])
  const many = Array.from({ length: 51 }, (_, n) => `s${n}`).join(',')
  for (const bad of ['window=2h', 'sort=x', 'slugs=', 'slugs=A', 'slugs=a,,b', "slugs='", `slugs=${many}`])
    expect((await visit(market.server.url, `/web/v1/collections?${bad}`)).status, bad).toBe(400)
})

it('volumes are exact to the second', async () => {
  const { sql } = market
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const hour = 3_600_000
  const now = new Date(Math.floor(Date.now() / hour) * hour + 1_234_567)
  const lengths = [hour, 24 * hour, 168 * hour, 720 * hour]
  // Around each edge of the window, and around full hours.
  const edges = lengths.flatMap((length) =>
    [-1000, 0, 1000, -1_234_567, hour - 1_234_567].map((by) => now.getTime() - length + by),
  )
  const times = [...edges, now.getTime() - 1, now.getTime() + 60_000]
  await sql`
    insert into sales (sale_type, txid, inscription_id, price_sats, sold_at, height, rule, confidence, counted)
    select 'external', md5(${slug} || n), case when n % 2 = 0 then ${ids[0]!} else ${ids[1]!} end, 1000 + n, at, 1000000 + n,
      'signature', 'high', n % 7 > 0
    from unnest(${times.map((at) => new Date(at).toISOString())}::timestamptz[]) with ordinality as t (at, n)`
  const differences = () => checkRollups({ ...market.server.context, sql })
  const compare = async () => {
    for (const length of [...lengths, null]) {
      const since = length === null ? null : new Date(now.getTime() - length)
      const page = { sort: 'volume', since, q: null, slugs: [slug], now, offset: 0, rows: 1 } as const
      const [sums] = await listCollections(sql, page)
      const [expected] = await sql`
        select coalesce(sum(price_sats), 0)::bigint as volume_sats, count(*)::int as sales_count
        from sales where inscription_id = any(${ids}::text[]) and counted and sold_at > ${since ?? new Date(0)}`
      expect(sums, String(length)).toMatchObject(expected!)
    }
    expect(await differences()).toEqual([])
  }
  await compare()
  await sql`delete from sales where height between 1000004 and 1000012`
  await compare()
  await sql`delete from sales where height >= 1000000`
  await compare()
  const rowsLeft = () =>
    sql`select 1 from collection_volumes join collections using (collection_id) where slug = ${slug}`
  expect(await rowsLeft()).toEqual([])
  await sql`
    insert into collection_volumes select collection_id, '-infinity', 5, 1 from collections where slug = ${slug}`
  expect(await differences()).toEqual([{ where: slug, what: 'volumes', rows: 1 }])
  await sql`select rebuild_collection(collection_id) from collections where slug = ${slug}`
  expect(await rowsLeft()).toEqual([])
})

it('caps volumes at the largest amount', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await market.sql`
    insert into sales (sale_type, txid, inscription_id, price_sats, sold_at, height, rule, confidence)
    select 'external', md5(${slug} || n), ${ids[0]!}, ${MAX_SATS}::bigint, now(), 2000000 + n, 'signature', 'high'
    from generate_series(1, 5) as n`
  const { collections } = await read(`/collections?q=${slug}`)
  expect(collections[0]).toMatchObject({ volumeDaySats: MAX_SATS, volumeWeekSats: MAX_SATS })
  const { volume } = await read(`/collections/${slug}/history`)
  expect(volume).toMatchObject([{ sats: MAX_SATS, sales: 5 }])
  expect(await read('/activity/summary')).toMatchObject({ volumeSats: MAX_SATS })
  await market.sql`delete from sales where height > 2000000`
})
