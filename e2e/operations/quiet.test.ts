import { setTimeout as sleep } from 'node:timers/promises'
import { findActivity } from '@ordbook/app/activity-queries.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, setUpTrader, until } from '../support/market.ts'

/** Without a change, the follower and the jobs of this market poll once an hour. */
const HOUR = 3_600_000
const market = setUpMarket({
  tuning: { quietAfterMilliseconds: 0, quietPollMilliseconds: HOUR, quietJobsMilliseconds: HOUR },
})
const seller = setUpTrader(market)
const buyer = setUpTrader(market)

const countSealed = async () => {
  const [row] = await market.sql<{ count: number }[]>`select count(*) as count from order_log_hashes`
  return row!.count
}

it('a new order starts the jobs', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const before = await countSealed()
  await listAll(market, seller, slug, ids, 50_000)
  await until('the order log to have the listing', async () => (await countSealed()) > before)
})

it('a broadcast starts a poll of the mempool', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 50_000)
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await until('the spends of the settlement', async () => {
    const spends = await market.sql`select 1 from mempool_spends where spender = ${settlementTxid}`
    return spends.length > 0
  })
})

it('a block starts the jobs', async () => {
  await until('the jobs to be quiet', async () => {
    await market.mine()
    return !(await findActivity(market.sql)).isPending
  })
  await sleep(2000)
  await market.sql`update market_coins set reserved_for = gen_random_uuid() where reserved_for is null and value_sats = 330`
  const isSplit = async () =>
    (await market.sql`select 1 from market_transactions where purpose = 'split' and state = 'intended'`)
      .length > 0
  await sleep(2000)
  expect(await isSplit()).toBe(false)
  await market.mine()
  await until('a split of market coins', isSplit)
})
