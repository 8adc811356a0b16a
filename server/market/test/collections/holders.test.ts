import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket } from '../../../../e2e/support/market.ts'
import { visit } from '../../../../e2e/support/storefront.ts'

/** Holder distribution and sales volume of a collection. */
const market = setUpMarket({ tuning: { responseCacheMegabytes: 0 } })

interface Holders {
  itemCount: number
  ownerCount: number
  unownedCount: number
  distribution: { least: number; most: number | null; owners: number; items: number }[]
  top: { address: string; itemCount: number }[]
}

/** Reads the holders of a collection. Checks that the groups add up to all items and all owners. */
async function holdersOf(slug: string): Promise<Holders> {
  const { status, body } = await visit(market.server.url, `/web/v1/collections/${slug}/analytics`)
  expect(status).toBe(200)
  const holders = body.holders as Holders
  const sum = (of: 'owners' | 'items') => holders.distribution.reduce((total, group) => total + group[of], 0)
  expect(sum('items') + holders.unownedCount).toBe(holders.itemCount)
  expect(sum('owners')).toBe(holders.ownerCount)
  for (const { least, most, owners, items } of holders.distribution) {
    expect(items).toBeGreaterThanOrEqual(owners * least)
    if (most !== null) expect(items).toBeLessThanOrEqual(owners * most)
  }
  return holders
}

it('groups owners by item count', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 5)
  const { ordinalsAddress: from } = seller.wallet
  const { ordinalsAddress: to } = buyer.wallet
  expect((await holdersOf(slug)).top).toEqual([{ address: from, itemCount: 5 }])
  await listAll(market, seller, slug, ids.slice(0, 1), 30_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(0, 1)))
  await market.mine()
  const after = await holdersOf(slug)
  expect(after).toMatchObject({ itemCount: 5, ownerCount: 2, unownedCount: 0 })
  expect(after.top).toEqual([
    { address: from, itemCount: 4 },
    { address: to, itemCount: 1 },
  ])
  expect(after.distribution.filter(({ owners }) => owners > 0)).toEqual([
    { least: 1, most: 1, owners: 1, items: 1 },
    { least: 4, most: 9, owners: 1, items: 4 },
  ])
  for (const days of [1, 7, 30, 365]) {
    const { body } = await visit(market.server.url, `/web/v1/collections/${slug}/history?days=${days}`)
    expect(body.sales).toMatchObject([{ priceSats: 30_000 }])
    expect(body.volume, `${days} days`).toMatchObject([{ sats: 30_000, sales: 1 }])
    const { from, until, partSeconds } = body
    // The block time may be ahead of the clock, which limits the last interval.
    const sold = Math.min(Date.parse(body.sales[0].at), Date.parse(until) - 1)
    const part = Date.parse(body.volume[0].at)
    expect(part).toBeGreaterThanOrEqual(Date.parse(from))
    expect(part).toBeLessThanOrEqual(sold)
    expect(sold).toBeLessThan(part + partSeconds * 1000)
  }
  const { body: summary } = await visit(market.server.url, '/web/v1/activity/summary')
  expect(summary).toMatchObject({ volumeSats: 30_000, sales: 1, buyers: 1, largestSats: 30_000 })
  expect(summary.hours.reduce((sum: number, sats: number) => sum + sats, 0)).toBe(30_000)
})

it('counts unindexed items as unowned', async () => {
  const folder = join(market.dataDir, 'unseen')
  mkdirSync(join(folder, 'unseen'), { recursive: true })
  writeFileSync(join(folder, 'unseen', 'meta.json'), JSON.stringify({ name: 'Unseen', slug: 'unseen' }))
  const items = Array.from({ length: 3 }, (_, n) => ({
    id: `${randomBytes(32).toString('hex')}i0`,
    meta: { name: `Unseen ${n}` },
  }))
  writeFileSync(join(folder, 'unseen', 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(market.sql, folder, { now: new Date() })
  expect(await holdersOf('unseen')).toMatchObject({
    itemCount: 3,
    ownerCount: 0,
    unownedCount: 3,
    top: [],
  })
  const { status } = await visit(market.server.url, '/web/v1/collections/none-such/analytics')
  expect(status).toBe(404)
})
