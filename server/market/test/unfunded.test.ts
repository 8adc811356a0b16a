import { ApiError, delist } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshWallet, listAll, setUpMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'

/** Storefront wallets that hold less than the API requires at sign-in. */
const market = setUpMarket({
  tuning: { unfundedCoins: 4, unfundedCoinsTotal: 10, anchorSpendDelaySeconds: 0 },
})
beforeAll(async () => {
  await market.anchors(50)
})

const OWN = {
  status: 403,
  message: expect.stringMatching(/less than 100000 confirmed sats .* can use at most 4 market coins/),
}
const ALL = {
  status: 503,
  message: expect.stringMatching(/No market coins are available for a wallet with less/),
}

/** Returns a storefront wallet with `count` inscriptions. */
async function holder(count: number, wallet = freshWallet()) {
  const trader = await traderAtStorefront(market.server.url, wallet)
  return { trader, ...(await market.collection(wallet, count)) }
}
/** Lists an inscription. Retries if another listing has taken the same market coin. */
async function listOne(trader: TestTrader, slug: string, id: string, tries = 5) {
  try {
    return await listAll(market, trader, slug, [id], 40_000)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409) || tries === 1) throw error
    return listOne(trader, slug, id, tries - 1)
  }
}
const taken = async () => {
  const [row] = await market.sql<{ count: number }[]>`
    select count(*)::int as count from market_coins where taken_by is not null and spent_height is null`
  return row!.count
}

describe('unfunded wallet', () => {
  it('rejects listings above its market coin limit', async () => {
    const { trader, slug, ids } = await holder(3)
    const listed = await listAll(market, trader, slug, ids.slice(0, 2), 40_000)
    expect(listed.size).toBe(2)
    await expect(listOne(trader, slug, ids[2]!)).rejects.toMatchObject(OWN)
    expect(await taken()).toBe(4)
    await delist(trader, slug, [{ inscriptionId: ids[0]!, listingId: listed.get(ids[0]!)! }])
    await until('the anchor is spent', async () => {
      await market.mine()
      return (await taken()) === 2
    })
    const third = await listOne(trader, slug, ids[2]!)
    await delist(
      trader,
      slug,
      [...listed, ...third].slice(1).map(([inscriptionId, listingId]) => ({ inscriptionId, listingId })),
    )
    await until('no coins are taken', async () => {
      await market.mine()
      return (await taken()) === 0
    })
  })

  it('reserves no coins for a rejected listing', async () => {
    const { trader, slug, ids } = await holder(3)
    await expect(listAll(market, trader, slug, ids, 40_000)).rejects.toMatchObject(OWN)
    expect(await taken()).toBe(0)
  })
})

describe('several unfunded wallets', () => {
  it('concurrent listings cannot exceed the shared limit', async () => {
    const holders = []
    for (let n = 0; n < 7; n++) holders.push(await holder(1))
    const outcomes = await Promise.allSettled(
      holders.map(({ trader, slug, ids }) => listOne(trader, slug, ids[0]!)),
    )
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(errors).toHaveLength(2)
    for (const error of errors) expect(error).toMatchObject(ALL)
    expect(await taken()).toBe(10)

    const funded = await market.trader()
    const { trader, slug, ids } = await holder(4, funded.wallet)
    await listAll(market, trader, slug, ids, 40_000)
    await listAll(market, funded, slug, ids, 50_000)
    expect(await taken()).toBe(10)
  })
})

describe('low pool', () => {
  it('reserves a quarter of the pool for funded wallets', async () => {
    await market.sql`update market_coins set taken_by = null`
    const unfunded = await holder(1)
    const funded = await market.trader()
    const { slug, ids } = await market.collection(funded.wallet, 1)
    // Reserve all but 16 free anchors: a listing would leave 14, less than a quarter of the pool of 60.
    await market.sql`
      update market_coins set reserved_for = gen_random_uuid() where (txid, vout) in (
        select txid, vout from market_coins
        where spent_height is null and not retired and value_sats = 330 and reserved_for is null
        order by txid, vout offset 16)`
    await expect(listOne(unfunded.trader, unfunded.slug, unfunded.ids[0]!)).rejects.toMatchObject(ALL)
    await listOne(funded, slug, ids[0]!)
  })
})
