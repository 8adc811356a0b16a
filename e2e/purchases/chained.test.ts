import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { acceptCounter, acceptOffer, bid, buy, counter, fill, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, keyHolder, listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'

const market = setUpMarket({ ANCHOR_POOL: '200', LOG_LEVEL: 'silent' })

/** Returns a trader's change in an unconfirmed transaction. */
async function changeIn(txid: string, { wallet }: TestTrader): Promise<Coin> {
  const tx = (await market.server.context.node.transaction(txid))!
  const vout = tx.outputs.findIndex(({ script }) => equalBytes(script, wallet.paymentScript))
  return { txid, vout, ...tx.outputs[vout]! }
}
const isWaiting = async (txid: string) =>
  (await market.regtest.call<string[]>('getrawmempool')).includes(txid)
const stateOf = async (txid: string) =>
  (await market.sql<{ state: string }[]>`select state from settlements where settlement_txid = ${txid}`)[0]
    ?.state

it('lets a wallet with one coin trade repeatedly within a block', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 4)
  const [first, second, third, fourth] = ids as [string, string, string, string]
  const { trader: buyer } = await keyHolder(market)
  await listAll(market, seller, slug, [first, third], 50_000)
  const [coin, ...others] = await coinsOf(market, buyer)
  expect(others).toEqual([])

  const bought = await buy(buyer, slug, { ...(await agreementFor(market, buyer, [first])), coins: [coin!] })
  const change = await changeIn(bought.settlementTxid, buyer)
  const offered = await offer(buyer, slug, {
    ...(await offering(market, buyer, [second], 40_000)),
    coins: [change],
  })
  const accepted = await acceptOffer(seller, offered.items[0]!.offerId, await selling(market, second, 40_000))
  const secondChange = await changeIn(accepted.settlementTxid, buyer)
  const boughtAgain = await buy(buyer, slug, {
    ...(await agreementFor(market, buyer, [third])),
    coins: [secondChange],
  })
  const thirdChange = await changeIn(boughtAgain.settlementTxid, buyer)
  const secondOffer = await offer(buyer, slug, {
    ...(await offering(market, buyer, [fourth], 40_000)),
    coins: [thirdChange],
  })
  const answered = await counter(seller, secondOffer.items[0]!.offerId, await selling(market, fourth, 45_000))
  const acceptedCounter = await acceptCounter(buyer, answered.offerId, {
    ...(await countered(market, buyer, fourth, 45_000)),
    coins: [thirdChange],
  })
  const settled = [bought, accepted, boughtAgain, acceptedCounter].map((each) => each.settlementTxid)
  for (const txid of settled) expect(await isWaiting(txid)).toBe(true)

  await market.mine()
  for (const txid of settled) expect(await stateOf(txid)).toBe('confirmed')
  for (const id of ids) expect((await market.coinOf(id)).script).toEqual(buyer.wallet.ordinalsScript)
})

it('fails trades that spend change of a replaced purchase', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const { trader: buyer, keys } = await keyHolder(market)
  await listAll(market, seller, slug, ids, 50_000)
  const [coin] = await coinsOf(market, buyer)
  const [first, second] = ids as [string, string]
  const parent = await buy(buyer, slug, { ...(await agreementFor(market, buyer, [first])), coins: [coin!] })
  const change = await changeIn(parent.settlementTxid, buyer)
  const child = await buy(buyer, slug, { ...(await agreementFor(market, buyer, [second])), coins: [change] })
  const replacement = buildPayment([coin!], [{ valueSats: 4_000_000, script: buyer.wallet.paymentScript }], {
    privateKey: keys.payment,
    feeRateSatVb: 500,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(replacement))
  for (const { settlementTxid } of [parent, child]) expect(await isWaiting(settlementTxid)).toBe(false)
  // Not failed yet, because the unconfirmed replacement may be replaced too.
  expect(await stateOf(child.settlementTxid)).toBe('broadcast')
  await market.mine()
  for (const { settlementTxid } of [parent, child])
    await until('the settlement to fail', async () => (await stateOf(settlementTxid)) === 'failed')
  expect((await coinsOf(market, buyer)).some((each) => each.valueSats === 4_000_000)).toBe(true)

  const other = await market.trader()
  await until('both listings to be for sale', async () => {
    const { listings } = await other.client.call('listListings', { query: { collectionSlug: slug } })
    return listings.length === 2
  })
  const { settlementTxid } = await buy(other, slug, await agreementFor(market, other, ids))
  await market.mine()
  expect(await stateOf(settlementTxid)).toBe('confirmed')
  for (const id of ids) expect((await market.coinOf(id)).script).toEqual(other.wallet.ordinalsScript)
})

it("rejects a trade above the mempool's chain limit", async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 13)
  await market.anchors(30)
  const { trader: buyer } = await keyHolder(market)
  await listAll(market, seller, slug, ids, 20_000)
  let [coin] = await coinsOf(market, buyer)
  // Each purchase adds a transfer and a settlement. 24 of the 25 transactions that the mempool allows in a chain.
  for (const id of ids.slice(0, 12)) {
    const { settlementTxid } = await buy(buyer, slug, {
      ...(await agreementFor(market, buyer, [id])),
      coins: [coin!],
    })
    coin = await changeIn(settlementTxid, buyer)
  }
  const last = async () =>
    buy(buyer, slug, { ...(await agreementFor(market, buyer, [ids[12]!])), coins: [coin!] })
  await expect(last()).rejects.toMatchObject({
    status: 409,
    message: expect.stringMatching(/too many unconfirmed ancestors/),
  })
  await market.mine()
  await last()
}, 240_000)

it('bumps a trade together with its unconfirmed ancestors', async () => {
  const { config } = market.server.context
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [cheap, dear] = ids as [string, string]
  const { trader: buyer } = await keyHolder(market)
  await listAll(market, seller, slug, [cheap], 20_000)
  await listAll(market, seller, slug, [dear], 2_000_000)
  const coins = await coinsOf(market, buyer)
  const first = await buy(buyer, slug, { ...(await agreementFor(market, buyer, [cheap])), coins })
  const change = await changeIn(first.settlementTxid, buyer)
  const second = await buy(buyer, slug, { ...(await agreementFor(market, buyer, [dear])), coins: [change] })
  config.feeRateFallbackSatVb = 20
  try {
    for (let n = 0; n < 3; n++) {
      await market.regtest.mineExactly([])
      await market.server.sync()
    }
    // The first trade earned 400 sats, too few to bump it alone. The second trade's CPFP child pays for both.
    const entry = await until('the CPFP child', async () => {
      const [row] = await market.sql<{ bump: { txid: string } | null }[]>`
        select bump from settlements where settlement_txid = ${second.settlementTxid}`
      const mempoolEntry =
        row!.bump && (await market.regtest.call<any>('getmempoolentry', row!.bump.txid).catch(() => null))
      return mempoolEntry && Math.round(mempoolEntry.fees.base * 1e8) > 1000 && mempoolEntry
    })
    expect(entry.ancestorcount).toBe(5)
    const paidSats = Math.round(entry.fees.ancestor * 1e8)
    expect(paidSats).toBeGreaterThanOrEqual(20 * entry.ancestorsize)
    expect(paidSats).toBeLessThanOrEqual(22 * entry.ancestorsize)
  } finally {
    config.feeRateFallbackSatVb = 2
    await market.mine(2)
  }
})

it('rejects unconfirmed change for a collection offer', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const { trader: buyer } = await keyHolder(market)
  await listAll(market, seller, slug, ids, 50_000)
  const bought = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  const coins = [await changeIn(bought.settlementTxid, buyer)]
  await expect(bid(buyer, slug, { target: { kind: 'all' }, priceSats: 60_000, coins })).rejects.toMatchObject(
    {
      status: 400,
      message: expect.stringMatching(/1 is unconfirmed, and this trade requires confirmed coins\)/),
    },
  )
  await market.mine()
  await bid(buyer, slug, { target: { kind: 'all' }, priceSats: 60_000, coins })
})

it('rejects other unconfirmed coins as payment', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const { trader: buyer } = await keyHolder(market)
  await listAll(market, seller, slug, [ids[0]!], 50_000)
  const buying = await agreementFor(market, buyer, [ids[0]!])
  const noPaymentCoins = {
    status: 400,
    message: expect.stringMatching(
      /none of these coins can be used \(1 coin was skipped: 1 is unconfirmed and not change of a trade on this market\)/,
    ),
  }
  const paid = await market.regtest.pay([{ valueSats: 3_000_000, script: buyer.wallet.paymentScript }])
  const gift = await changeIn(txidOf(paid), buyer)
  await expect(buy(buyer, slug, { ...buying, coins: [gift] })).rejects.toMatchObject(noPaymentCoins)

  const target = { kind: 'all' } as const
  const { offers } = await bid(buyer, slug, {
    target,
    priceSats: 60_000,
    coins: await coinsOf(market, buyer),
  })
  const filled = await fill(seller, slug, offers[0]!.offerId, await selling(market, ids[1]!, 60_000, 250))
  const change = await changeIn(offers[0]!.fundingParentTxid, buyer)
  expect(await isWaiting(filled.settlementTxid)).toBe(true)
  await expect(buy(buyer, slug, { ...buying, coins: [change] })).rejects.toMatchObject(noPaymentCoins)
})
