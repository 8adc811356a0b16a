import { buy } from '@ordbook/sdk/index.ts'
import { describe, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { agreementFor, enter, freshWallet, listAll, setUpMarket, until } from '../support/market.ts'

/** Purchases between two blocks, with the default number of tail coins. */
const market = setUpMarket({ ANCHOR_POOL: '200', tuning: { feeRateFallbackSatVb: 1 } })

const poolOf = async () => {
  const [row] = await market.sql<{ tails: number; anchors: number }[]>`
    select count(*) filter (where state = 'free' and value_sats between 10000 and 40000)::int as tails,
      count(*) filter (where state = 'free' and value_sats = 330)::int as anchors from market_coins`
  return row!
}

async function buyAll(count: number): Promise<void> {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, count)
  for (let at = 0; at < count; at += 20) {
    await market.anchors(40)
    await listAll(market, seller, slug, ids.slice(at, at + 20), 50_000)
  }
  await market.anchors(80)
  const wallets = ids.map(() => freshWallet())
  await market.regtest.pay(wallets.map((wallet) => ({ valueSats: 200_000, script: wallet.paymentScript })))
  await market.mine()
  const bought: string[] = []
  for (const [n, id] of ids.entries()) {
    const buyer = await enter(market.base, wallets[n]!)
    bought.push((await buy(buyer, slug, await agreementFor(market, buyer, [id]))).settlementTxid)
  }
  await market.mine()
  const [row] = await market.sql<{ count: number }[]>`
    select count(*)::int as count from settlements
    where settlement_txid = any(${bought}) and state = 'confirmed'`
  expect(row!.count).toBe(count)
}

describe('purchases between two blocks', () => {
  it('settles purchases with tail coins, then with pads', async () => {
    await buyAll(sampled(24, 60))
  })

  it('shrinks the pool after a busy day', async () => {
    const { config } = market.server.context
    await until('a larger pool', async () => {
      await market.mine()
      return (await poolOf()).tails > 2 * config.tailPool
    })
    await buyAll(sampled(45, 200))
    config.tailDemandSeconds = 0
    await until('the pool to shrink to its idle size', async () => {
      await market.mine()
      return (await poolOf()).tails <= config.tailPool
    })
  })
})
