import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { decodeTransaction, hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { acceptOffer, buy, counter, delist, offer, prepareAcceptance } from '@ordbook/sdk/index.ts'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  agreementFor,
  keyHolder,
  listAll,
  setUpMarket,
  type TestMarket,
  type TestTrader,
  until,
} from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'

const market = setUpMarket({
  ANCHOR_POOL: '60',
  tuning: { anchorSpendDelaySeconds: 0, feeRateFallbackSatVb: 1 },
})
let defaults: TestMarket['server']['context']['config']
beforeAll(() => {
  defaults = { ...market.server.context.config }
})
afterEach(async () => {
  Object.assign(market.server.context.config, defaults)
  await market.mine()
  expect(await listImbalances(market.sql)).toEqual([])
})

const emptyBlock = async () => {
  await market.regtest.mineExactly([])
  await market.server.sync()
}
const mempool = () => market.regtest.call<string[]>('getrawmempool')
const bumpOf = async (settlementTxid: string) => {
  const [row] = await market.sql<{ bump: { txid: string; feeSats: number } | null }[]>`
    select bump from settlements where settlement_txid = ${settlementTxid}`
  return row!.bump
}

describe('CPFP bumps', () => {
  it('bumps a settlement with descendants of the buyer', async () => {
    const { trader: buyer, keys } = await keyHolder(market)
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 2)
    await listAll(market, seller, slug, ids, 50_000)
    const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
    const first = await bumpOf(settlementTxid)
    expect(first!.feeSats).toBeLessThanOrEqual(500)
    expect(await mempool()).toContain(first!.txid)
    // Reach the node's descendant limit on the buyer's change.
    const { payment: privateKey } = keys
    const script = buyer.wallet.paymentScript
    const settlement = decodeTransaction(
      await market.regtest.call<string>('getrawtransaction', settlementTxid),
    )
    const vout = settlement.outputs.findIndex((output) => equalBytes(output.script, script))
    const change = { txid: settlementTxid, vout, ...settlement.outputs[vout]! }
    const pieces = Array.from({ length: 26 }, () => ({ valueSats: 1000, script }))
    const fan = buildPayment([change], pieces, { privateKey, feeRateSatVb: 1 })
    await market.regtest.call('sendrawtransaction', hexOfTransaction(fan))
    for (let i = 0; i < pieces.length; i++) {
      const piece = { txid: txidOf(fan), vout: i, ...fan.outputs[i]! }
      const tx = buildPayment([piece], [{ valueSats: 600, script }], { privateKey, feeRateSatVb: 1 })
      const sent = await market.regtest.call('sendrawtransaction', hexOfTransaction(tx)).catch(() => null)
      if (sent === null) break
    }
    market.server.context.config.feeRateFallbackSatVb = 30
    for (let n = 0; n < 3; n++) await emptyBlock()
    const second = await until('a child with a higher fee', async () => {
      const bump = await bumpOf(settlementTxid)
      return bump!.txid !== first!.txid && (await mempool()).includes(bump!.txid) && bump
    })
    // Two sales at 50,000 earn the market 2,000 sats. It spends no more.
    expect(second).toMatchObject({ feeSats: 2000 })
    await market.mine(2)
  })

  it("limits bump fees to the trade's revenue", async () => {
    const { trader: bidder } = await keyHolder(market)
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    const coins = await market.regtest.coinsOf(bidder.wallet.paymentScript)
    const agreed = { ...(await offering(market, bidder, [id], 20_000)), coins }
    const { items } = await offer(bidder, slug, agreed, 24)
    const { offerId } = items[0]!
    market.server.context.config.feeRateFallbackSatVb = 60
    const { body } = await prepareAcceptance(seller, offerId, await selling(market, id, 20_000))
    const signedSteps = body.signedSteps.slice(0, 1)
    const { settlementTxid } = await seller.client.call('submitOfferAcceptance', {
      params: { id, offerId },
      body: { ...body, targetFeeRateSatVb: 1, expectedPayoutTxid: null, signedSteps },
    })
    for (let n = 0; n < 3; n++) await emptyBlock()
    const bump = await until('a child with a higher fee', async () => {
      const found = await bumpOf(settlementTxid)
      // The bump is recorded before its broadcast. Until then the previous child stays in the mempool.
      return found && found.feeSats > 150 && (await mempool()).includes(found.txid) && found
    })
    expect(bump.feeSats).toBe(400)
    await market.mine(2)
    const [row] = await market.sql<{ sats: number }[]>`
      select sum(sats)::int as sats from market_ledger where wallet_binding_id = ${seller.walletBindingId}`
    expect(row!.sats).toBe(0)
  })
})

describe('strandable purchases', () => {
  it('rejects purchases above the allowance before any broadcast', async () => {
    const { config } = market.server.context
    const buyer = await market.trader()
    const other = await market.trader()
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 4)
    await listAll(market, seller, slug, ids, 50_000)
    const [one, two, three, four] = ids as [string, string, string, string]
    config.walletAllowanceSats = 1000
    await buy(buyer, slug, await agreementFor(market, buyer, [one]))
    const before = await mempool()
    await expect(buy(buyer, slug, await agreementFor(market, buyer, [two]))).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/limit per wallet/),
    })
    config.strandingAllowanceSats = -10_000
    await expect(buy(other, slug, await agreementFor(market, other, [two]))).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/daily limit/),
    })
    expect(await mempool()).toEqual(before)
    Object.assign(config, { strandingAllowanceSats: 2000, walletAllowanceSats: 1000 })
    await market.mine()
    await buy(buyer, slug, await agreementFor(market, buyer, [three]))
    await market.mine()
    await buy(other, slug, await agreementFor(market, other, [two]))
    await buy(buyer, slug, await agreementFor(market, buyer, [four]))
    await market.mine()
  })
})

describe('ended orders', () => {
  const retired = async () => {
    const [row] = await market.sql<{ count: number }[]>`
      select count(*)::int as count from market_coins where state = 'retired'`
    return row!.count
  }
  const voidsOf = async (inscriptionId: string) => {
    const [row] = await market.sql<{ count: number }[]>`
      select count(*)::int as count from market_causes where purpose = 'void' and inscription_id = ${inscriptionId}`
    return row!.count
  }
  const listAndDelist = async (seller: TestTrader, slug: string, inscriptionId: string) => {
    const listed = await listAll(market, seller, slug, [inscriptionId], 50_000)
    await delist(seller, slug, [{ inscriptionId, listingId: listed.get(inscriptionId)! }])
  }

  it('spends at most two anchors per inscription and day', async () => {
    market.server.context.config.feeRateFallbackSatVb = 20
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    for (let cycle = 0; cycle < 2; cycle++) {
      await listAndDelist(seller, slug, id)
      await until('the anchor to be spent', async () => (await retired()) === 0)
      await market.mine()
    }
    await listAndDelist(seller, slug, id)
    const anchorOf = async () => {
      const [row] = await market.sql<{ anchor: string; state: string }[]>`
        select c.txid || ':' || c.vout as anchor, c.state from market_coins c join listings l on l.anchor_utxo_id = c.reserved_for
        where l.inscription_id = ${id} and c.spent_height is null`
      return row!
    }
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const { anchor, state } = await anchorOf()
    expect(state).toBe('retired')
    for (let cycle = 0; cycle < 3; cycle++) {
      await market.mine()
      await listAndDelist(seller, slug, id)
    }
    expect(await anchorOf()).toEqual({ anchor, state: 'retired' })
    expect(await voidsOf(id)).toBe(2)
    await listAll(market, seller, slug, [id], 60_000)
    expect(await anchorOf()).toEqual({ anchor, state: 'held' })
  })

  it('charges an ended order to its wallet', async () => {
    const { config } = market.server.context
    Object.assign(config, { feeRateFallbackSatVb: 20, walletAllowanceSats: 1000 })
    const seller = await market.trader()
    const { trader: bidder } = await keyHolder(market)
    const { slug, ids } = await market.collection(seller.wallet, 2)
    const [id, other] = ids as [string, string]
    await listAndDelist(seller, slug, id)
    const refused = { status: 409, code: 'listing-allowance-spent' }
    await until('the anchor to be spent', async () => (await voidsOf(id)) === 1)
    await market.mine()
    await expect(listAll(market, seller, slug, [other], 50_000)).rejects.toMatchObject(refused)
    const { items } = await offer(bidder, slug, await offering(market, bidder, ids, 40_000), 24)
    const offerOn = (inscriptionId: string) =>
      items.find((item) => item.inscriptionId === inscriptionId)!.offerId
    await expect(counter(seller, offerOn(other), await selling(market, other, 60_000))).rejects.toMatchObject(
      refused,
    )
    await acceptOffer(seller, offerOn(id), await selling(market, id, 40_000))
    await market.mine()
    await listAll(market, bidder, slug, [id], 50_000)
  })

  it('keeps anchors while the daily allowance is used up', async () => {
    const { config } = market.server.context
    Object.assign(config, { feeRateFallbackSatVb: 20, strandingAllowanceSats: 0 })
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAndDelist(seller, slug, ids[0]!)
    await market.mine(2)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(await voidsOf(ids[0]!)).toBe(0)
    const shortages = async () =>
      (await seller.client.call('getStatus')).shortages?.map((each) => each.resource)
    await until('the status to report the shortage', async () =>
      (await shortages())?.includes('ended-allowance'),
    )
    Object.assign(config, { strandingAllowanceSats: defaults.strandingAllowanceSats })
    await until('the anchor to be spent', async () => (await voidsOf(ids[0]!)) === 1)
  })
})

describe('coinbase outputs', () => {
  it('does not use an immature coinbase output as a market coin', async () => {
    const { coinScript } = market.server.context.market
    const address = addressOfScript(coinScript, 'regtest')!
    const [hash] = await market.regtest.call<string[]>('generatetoaddress', 1, address)
    await market.server.sync()
    const { tx } = await market.regtest.call<{ tx: string[] }>('getblock', hash)
    const state = async () => {
      const [row] = await market.sql<{ state: string }[]>`
        select state from market_coins where txid = ${tx[0]!} order by value_sats desc limit 1`
      return row!.state
    }
    expect(await state()).toBe('immature')
    await market.mine(98)
    expect(await state()).toBe('immature')
    await market.mine()
    await until('the output to mature', async () => (await state()) === 'free')
    const tip = await market.regtest.call<string>('getbestblockhash')
    await market.regtest.call('invalidateblock', tip)
    await market.server.sync()
    expect(await state()).toBe('immature')
    await market.regtest.call('reconsiderblock', tip)
    await market.server.sync()
    await until('the output to mature again', async () => (await state()) === 'free')
  })

  it('rejects an immature coinbase output as payment', async () => {
    const seller = await market.trader()
    const miner = await market.trader('p2wpkh')
    const { slug, ids } = await market.collection(seller.wallet, 2)
    const [listed, wanted] = ids as [string, string]
    await listAll(market, seller, slug, [listed], 50_000)
    const address = addressOfScript(miner.wallet.paymentScript, 'regtest')!
    const [hash] = await market.regtest.call<string[]>('generatetoaddress', 1, address)
    await market.server.sync()
    const { tx } = await market.regtest.call<{ tx: { hex: string; txid: string }[] }>('getblock', hash, 2)
    const { valueSats, script } = decodeTransaction(tx[0]!.hex).outputs[0]!
    const coins = [{ txid: tx[0]!.txid, vout: 0, valueSats, script }]
    const refused = {
      status: 400,
      message: expect.stringContaining('1 coin was skipped: 1 contains a rare sat'),
    }
    const purchase = { ...(await agreementFor(market, miner, [listed])), coins }
    await expect(buy(miner, slug, purchase)).rejects.toMatchObject(refused)
    const offered = { ...(await offering(market, miner, [wanted], 20_000)), coins }
    await expect(offer(miner, slug, offered, 24)).rejects.toMatchObject(refused)
  })
})
