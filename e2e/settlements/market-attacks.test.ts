import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { buy, counter, offer } from '@ordbook/sdk/index.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { strand } from '../escrows/support/escrow-market.ts'
import { sampled } from '../support/effort.ts'
import { agreementFor, keyHolder, listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'

const market = setUpMarket({
  ANCHOR_POOL: '120',
  tuning: { anchorSpendDelaySeconds: 0, feeRateFallbackSatVb: 20 },
})
afterEach(async () => {
  await market.mine()
  expect(await listImbalances(market.sql)).toEqual([])
})

const countIn = async (...states: string[]) => {
  const [row] = await market.sql<{ count: number }[]>`
    select count(*)::int as count from market_coins where state = any(${states})`
  return row!.count
}
const lossOf = async ({ walletBindingId }: TestTrader) => {
  const [row] = await market.sql<{ sats: number }[]>`
    select coalesce(-sum(sats), 0)::bigint as sats from market_ledger where wallet_binding_id = ${walletBindingId}`
  return row!.sats
}
const mineUntilIdle = () =>
  until('the anchors to be spent', async () => {
    await market.mine()
    return (await countIn('retired', 'spending')) === 0
  })

describe('successive counters', () => {
  it('shares one anchor among counters for an inscription', async () => {
    const { trader: bidder } = await keyHolder(market)
    const owner = await market.trader()
    const { slug, ids } = await market.collection(owner.wallet, 1)
    const [id] = ids as [string]
    const { items } = await offer(bidder, slug, await offering(market, bidder, [id], 40_000))
    const { offerId } = items[0]!
    const heldBefore = await countIn('held')
    for (let n = 0; n < sampled(12, 24); n++)
      await counter(owner, offerId, await selling(market, id, 60_000 + 1000 * n))
    expect(await countIn('held')).toBe(heldBefore + 2)
    expect(await countIn('retired', 'spending')).toBe(0)
    await mineUntilIdle()
    expect(await lossOf(owner)).toBe(0)
    // The counters have not used the owner's allowance for listing the same coin.
    await listAll(market, owner, slug, [id], 70_000)
  })
})

describe('stranded purchases', () => {
  it('limits the allowance of new wallets', async () => {
    const { config } = market.server.context
    const saved = { ...config }
    const seller = await market.trader()
    const { trader: attacker, keys } = await keyHolder(market)
    const experiencedBuyer = await market.trader()
    const stranger = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 24)
    await market.anchors(60)
    config.feeRateFallbackSatVb = 1
    await listAll(market, seller, slug, ids, 50_000)
    await buy(experiencedBuyer, slug, await agreementFor(market, experiencedBuyer, [ids[20]!]))
    await market.mine()
    Object.assign(config, { strandingAllowanceSats: 20_000, walletAllowanceSats: 20_000 })
    await strand(market, attacker, keys.payment, slug, ids.slice(0, 10))
    await market.mine()
    await expect(buy(stranger, slug, await agreementFor(market, stranger, [ids[21]!]))).rejects.toMatchObject(
      { status: 409, code: 'market-allowance-spent' },
    )
    await buy(experiencedBuyer, slug, await agreementFor(market, experiencedBuyer, [ids[22]!]))
    // Anyone can buy items in escrow.
    const inEscrow = await until('the replaced purchase to end', () =>
      agreementFor(market, stranger, [ids[0]!]).catch(() => null),
    )
    await buy(stranger, slug, inEscrow)
    await market.mine()
    Object.assign(config, saved)
  })
})
