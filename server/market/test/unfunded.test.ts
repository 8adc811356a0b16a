import { ApiError, delist } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshWallet, listAll, setUpMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'

/** Wallets that hold less than the API asks for, at the storefront, which asks for nothing. */
const market = setUpMarket({
  tuning: { unfundedCoins: 4, unfundedCoinsTotal: 10, anchorSpendDelaySeconds: 0 },
})
beforeAll(async () => {
  await market.anchors(50)
})

const OWN = {
  status: 403,
  message: expect.stringMatching(/less than 100000 confirmed sats .* may hold 4 coins/),
}
const ALL = {
  status: 503,
  message: expect.stringMatching(/no coins to spare right now for a wallet with less/),
}

/** A wallet at the storefront with so many inscriptions. */
async function holder(count: number, wallet = freshWallet()) {
  const trader = await traderAtStorefront(market.server.url, wallet)
  return { trader, ...(await market.collection(wallet, count)) }
}
/** Lists one, and prepares it again where another listing was faster to a coin of the market, as the refusal says. */
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
  it('can list a few items, and more once its ended orders are settled on chain', async () => {
    const { trader, slug, ids } = await holder(3)
    const listed = await listAll(market, trader, slug, ids.slice(0, 2), 40_000)
    expect(listed.size).toBe(2)
    await expect(listOne(trader, slug, ids[2]!)).rejects.toMatchObject(OWN)
    expect(await taken()).toBe(4)
    await delist(trader, slug, [{ inscriptionId: ids[0]!, listingId: listed.get(ids[0]!)! }])
    await until('the end of its anchor', async () => {
      await market.mine()
      return (await taken()) === 2
    })
    const again = await listOne(trader, slug, ids[2]!)
    await delist(
      trader,
      slug,
      [...listed, ...again].slice(1).map(([inscriptionId, listingId]) => ({ inscriptionId, listingId })),
    )
    await until('nothing taken', async () => {
      await market.mine()
      return (await taken()) === 0
    })
  })

  it('holds no coins after an error', async () => {
    const { trader, slug, ids } = await holder(3)
    await expect(listAll(market, trader, slug, ids, 40_000)).rejects.toMatchObject(OWN)
    expect(await taken()).toBe(0)
  })
})

describe('many unfunded wallets', () => {
  it('share a budget, also concurrently, without affecting funded wallets', async () => {
    const holders = []
    for (let n = 0; n < 7; n++) holders.push(await holder(1))
    const outcomes = await Promise.allSettled(
      holders.map(({ trader, slug, ids }) => listOne(trader, slug, ids[0]!)),
    )
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(refused).toHaveLength(2)
    for (const reason of refused) expect(reason).toMatchObject(ALL)
    expect(await taken()).toBe(10)

    const rich = await market.trader()
    const { trader, slug, ids } = await holder(4, rich.wallet)
    await listAll(market, trader, slug, ids, 40_000)
    await listAll(market, rich, slug, ids, 50_000)
    expect(await taken()).toBe(10)
  })
})

describe('low pool', () => {
  it('reserves its last quarter for funded wallets', async () => {
    await market.sql`update market_coins set taken_by = null`
    const poor = await holder(1)
    const rich = await market.trader()
    const { slug, ids } = await market.collection(rich.wallet, 1)
    // All but 16 free anchors are put aside: a listing would leave 14 of a pool of 60.
    await market.sql`
      update market_coins set reserved_for = gen_random_uuid() where (txid, vout) in (
        select txid, vout from market_coins
        where spent_height is null and not retired and value_sats = 330 and reserved_for is null
        order by txid, vout offset 16)`
    await expect(listOne(poor.trader, poor.slug, poor.ids[0]!)).rejects.toMatchObject(ALL)
    await listOne(rich, slug, ids[0]!)
  })
})
