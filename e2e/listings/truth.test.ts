import { setTimeout as sleep } from 'node:timers/promises'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, type Tx, type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import { MempoolWatcher } from '@ordbook/indexer/mempool/mempool.ts'
import { lockMempool } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import type { ChainSource } from '@ordbook/indexer/node/source.ts'
import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { bid, buy, cancelOffer, delist, list, offer } from '@ordbook/sdk/index.ts'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { agreementFor, keyHolder, listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { coinsOf, offering } from '../support/offers.ts'
import { signInAtStorefront, visit } from '../support/storefront.ts'

const market = setUpMarket()
let owner: { trader: TestTrader; keys: { ordinals: Uint8Array; payment: Uint8Array } }
let buyer: TestTrader
beforeAll(async () => {
  owner = await keyHolder(market)
  buyer = await market.trader()
  await market.anchors(20)
})
afterEach(async () => {
  expect(await listUnexplained(market.sql)).toEqual([])
  expect(await checkRollups(market.server.context)).toEqual([])
})

const send = async (tx: Tx) => {
  await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
  await market.server.sync()
}
const moving = (coin: Coin, fee: Coin, to: Uint8Array, feeRateSatVb = 2) =>
  buildPayment([coin, fee], [{ valueSats: coin.valueSats, script: to }], {
    privateKey: owner.keys.ordinals,
    feeRateSatVb,
  })
const funded = (valueSats = 20_000) => market.regtest.fund(owner.trader.wallet.ordinalsScript, valueSats)
const instead = (fee: Coin) =>
  buildPayment([fee], [], { privateKey: owner.keys.ordinals, feeRateSatVb: 30, changeFirst: true })
const stateOf = async (listingId: string) =>
  (await buyer.client.call('getOrder', { params: { listingId } })).state
const reasonsOf = async (listingId: string) =>
  (await buyer.client.call('getOrder', { params: { listingId } })).events.map((event) => event.reason)
const offerState = async (offerId: string) => {
  const [row] = await market.sql<{ state: string; reason: string | null }[]>`
    select state, reason from offers where offer_id = ${offerId}
    union all select state, reason from collection_offers where offer_id = ${offerId}`
  return row!
}
const itemOf = async (slug: string, id: string) =>
  (await buyer.client.call('listCollectionInscriptions', { params: { slug } })).items.find(
    (each) => each.inscriptionId === id,
  )!
const tipOf = () => market.regtest.call<string>('getbestblockhash')
const undo = async (block: string) => {
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
}
const redo = async (block: string) => {
  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
}
const listed = async (priceSats = 50_000) => {
  const { slug, ids } = await market.collection(owner.trader.wallet, 1)
  await market.anchors(4)
  const id = ids[0]!
  const fee = await funded()
  await market.server.sync()
  const listingId = (await listAll(market, owner.trader, slug, [id], priceSats)).get(id)!
  return { slug, id, listingId, fee, coin: await market.coinOf(id) }
}

describe('listing', () => {
  it('hides a listing while its coin is being spent', async () => {
    const { slug, id, listingId, fee, coin } = await listed()
    await send(moving(coin, fee, buyer.wallet.ordinalsScript))
    expect(await stateOf(listingId)).toBe('hidden_locked')
    expect(await itemOf(slug, id)).toMatchObject({ listingState: 'hidden_locked', priceSats: 50_000 })
    expect((await buyer.client.call('listListings', { query: { inscriptionId: id } })).listings).toEqual([])
    expect((await reasonsOf(listingId)).at(-1)).toMatch(/spent by unconfirmed transaction [0-9a-f]{64}/)
    // The listing stays hidden while a replacement moves the inscription.
    await send(moving(coin, fee, owner.trader.wallet.paymentScript, 10))
    expect(await stateOf(listingId)).toBe('hidden_locked')
    expect(await reasonsOf(listingId)).toHaveLength(2)
    await send(instead(fee))
    expect(await stateOf(listingId)).toBe('buyable')
    await buy(buyer, slug, await agreementFor(market, buyer, [id]))
    await market.mine()
    expect(await stateOf(listingId)).toBe('sold')
  })

  it('delists a hidden listing', async () => {
    const { slug, id, listingId, fee, coin } = await listed()
    await send(moving(coin, fee, buyer.wallet.ordinalsScript))
    await delist(owner.trader, slug, [{ inscriptionId: id, listingId }])
    expect(await stateOf(listingId)).toBe('cancelled')
    const other = await listed()
    await buy(buyer, other.slug, await agreementFor(market, buyer, [other.id]))
    await expect(
      delist(owner.trader, other.slug, [{ inscriptionId: other.id, listingId: other.listingId }]),
    ).rejects.toMatchObject({ status: 409 })
    await market.mine()
  })

  it('lists an unconfirmed output as pending', async () => {
    const { slug, ids } = await market.collection(owner.trader.wallet, 1)
    await market.anchors(4)
    const [id] = ids as [string]
    const fee = await funded()
    const coin = await market.coinOf(id)
    const move = moving(coin, fee, owner.trader.wallet.ordinalsScript)
    await send(move)
    const pending = { txid: txidOf(move), vout: 0, ...move.outputs[0]!, offset: 0 }
    const agreement = { inscriptionId: id, priceSats: 70_000, coin: pending, maxFeeBps: 100 }
    const { listings } = await list(owner.trader, slug, [agreement])
    const { listingId } = listings[0]!
    expect(await stateOf(listingId)).toBe('pending_public')
    expect(await itemOf(slug, id)).toMatchObject({ listingState: 'pending_public', listingId })
    const unbuyable = {
      items: [{ inscriptionId: id, listingId, priceSats: 70_000, coin: pending }],
      coins: await coinsOf(market, buyer),
      maxFeeBps: 100,
      maxNetworkSats: 100_000,
    }
    await expect(buy(buyer, slug, unbuyable)).rejects.toMatchObject({
      status: 409,
    })
    await market.mine()
    expect(await stateOf(listingId)).toBe('buyable')
    await buy(buyer, slug, await agreementFor(market, buyer, [id]))
    await market.mine()
    expect(await market.coinOf(id)).toMatchObject({ script: buyer.wallet.ordinalsScript })
  })

  it('restores a listing after a reorg', async () => {
    const { slug, ids } = await market.collection(owner.trader.wallet, 1)
    await market.anchors(4)
    const [id] = ids as [string]
    const fee = await funded()
    const before = await market.coinOf(id)
    const move = moving(before, fee, owner.trader.wallet.ordinalsScript)
    await send(move)
    await market.mine()
    const block = await tipOf()
    const listingId = (await listAll(market, owner.trader, slug, [id], 50_000)).get(id)!
    await undo(block)
    expect(await stateOf(listingId)).toBe('pending_public')
    // On a branch without the coin, the listing ends with a reason.
    const away = moving(before, fee, buyer.wallet.ordinalsScript, 20)
    await market.regtest.mineExactly([away])
    await market.regtest.mine()
    await market.server.sync()
    expect(await stateOf(listingId)).toBe('invalidated')
    expect((await reasonsOf(listingId)).at(-1)).toBe(`the inscription moved in ${txidOf(away)}`)
    expect((await itemOf(slug, id)).owner).toBe(buyer.wallet.ordinalsAddress)
    const branch = await market.regtest.call<string>(
      'getblockhash',
      (await market.regtest.call<number>('getblockcount')) - 1,
    )
    await market.regtest.call('invalidateblock', branch)
    await redo(block)
    expect(await stateOf(listingId)).toBe('buyable')
    await buy(buyer, slug, await agreementFor(market, buyer, [id]))
    await market.mine()
    expect(await stateOf(listingId)).toBe('sold')
  })

  it('restores a listing that a disconnected block ended', async () => {
    const { slug, id, listingId, fee, coin } = await listed()
    const move = moving(coin, fee, buyer.wallet.ordinalsScript)
    await send(move)
    await market.mine()
    expect(await stateOf(listingId)).toBe('invalidated')
    const { floor } = (await buyer.client.call('listCollectionFloorStats', { query: { slugs: slug } }))
      .data[0]!
    expect(floor).toBeNull()
    await undo(await tipOf())
    await expect.poll(() => stateOf(listingId)).toBe('hidden_locked')
    await send(instead(fee))
    expect(await stateOf(listingId)).toBe('buyable')
    expect(
      (await buyer.client.call('listCollectionFloorStats', { query: { slugs: slug } })).data[0]!.floor,
    ).toBe(50_000)
    await market.mine()
    await buy(buyer, slug, await agreementFor(market, buyer, [id]))
    await market.mine()
    expect(await stateOf(listingId)).toBe('sold')
  })

  it('restores no listing while spends of the mempool are recorded', async () => {
    const { listingId, fee, coin } = await listed()
    await send(moving(coin, fee, buyer.wallet.ordinalsScript))
    await market.mine()
    const block = await tipOf()
    const { undone, held } = await inTransaction(market.sql, async (tx) => {
      await lockMempool(tx)
      const undone = undo(block)
      await sleep(1000)
      return { undone, held: await stateOf(listingId) }
    })
    expect(held).toBe('invalidated')
    await undone
    expect(await stateOf(listingId)).toBe('hidden_locked')
  })

  it('does not restore a delisted listing after a reorg', async () => {
    const { slug, id, listingId, fee, coin } = await listed()
    await send(moving(coin, fee, buyer.wallet.ordinalsScript))
    await market.mine()
    expect(await stateOf(listingId)).toBe('invalidated')
    await delist(owner.trader, slug, [{ inscriptionId: id, listingId }])
    await undo(await tipOf())
    await send(instead(fee))
    expect(await stateOf(listingId)).toBe('cancelled')
    await market.mine()
  })

  it('keeps an anchor until a reorg is unlikely', async () => {
    const { listingId, fee, coin } = await listed()
    market.server.context.config.anchorSpendDelaySeconds = 0
    await send(moving(coin, fee, buyer.wallet.ordinalsScript))
    await market.mine(6)
    const anchor = async () => {
      const [row] = await market.sql<{ retired: boolean }[]>`
        select c.retired from listings l join market_coins c on c.reserved_for = l.anchor_utxo_id
        where l.listing_id = ${listingId}`
      return row?.retired
    }
    expect(await anchor()).toBe(false)
    await market.mine()
    expect(await anchor()).toBe(true)
  })
})

describe('settlement', () => {
  it('restores a settlement after a reorg', async () => {
    const { slug, id, listingId } = await listed()
    const bought = await buy(buyer, slug, await agreementFor(market, buyer, [id]))
    await market.mine()
    const sales = async () =>
      (await buyer.client.call('listSales', { query: { collectionSlug: slug } })).sales.map(
        (sale) => sale.txid,
      )
    expect(await sales()).toEqual([bought.settlementTxid])
    const first = await tipOf()
    await market.regtest.call('invalidateblock', first)
    await market.regtest.mineExactly([])
    await market.server.sync()
    expect(await sales()).toEqual([])
    expect(await stateOf(listingId)).toBe('hidden_locked')
    expect((await itemOf(slug, id)).owner).toBe(owner.trader.wallet.ordinalsAddress)
    await until('the settlement to return', async () =>
      (await market.regtest.call<string[]>('getrawmempool')).includes(bought.settlementTxid),
    )
    await market.mine()
    expect(await sales()).toEqual([bought.settlementTxid])
    expect(await stateOf(listingId)).toBe('sold')
  })
})

describe('offers', () => {
  const makeOffers = async () => {
    const { slug, ids } = await market.collection(owner.trader.wallet, 1)
    const [id] = ids as [string]
    const fee = await funded()
    await market.server.sync()
    const { items } = await offer(buyer, slug, await offering(market, buyer, [id], 60_000))
    return { slug, id, fee, offerId: items[0]!.offerId, coin: await market.coinOf(id) }
  }

  it('ends offers while their coin is spent', async () => {
    const { id, fee, offerId, coin } = await makeOffers()
    await send(moving(coin, fee, owner.trader.wallet.paymentScript))
    expect(await offerState(offerId)).toMatchObject({ state: 'invalidated' })
    await send(instead(fee))
    expect(await offerState(offerId)).toEqual({ state: 'active', reason: null })
    const shown = await owner.trader.client.call('listInscriptionOffers', { params: { id } })
    expect(shown.offers.map((row) => row.id)).toEqual([offerId])

    await market.mine()
    const secondOwner = await funded()
    await send(moving(coin, secondOwner, owner.trader.wallet.paymentScript))
    await market.mine()
    expect((await offerState(offerId)).state).toBe('invalidated')
    await undo(await tipOf())
    expect((await offerState(offerId)).state).toBe('invalidated')
    await send(instead(secondOwner))
    expect((await offerState(offerId)).state).toBe('active')
    await market.mine()
  })

  it('keeps cancelled offers cancelled after their coin was spent', async () => {
    const { id, fee, offerId, coin } = await makeOffers()
    await send(moving(coin, fee, owner.trader.wallet.paymentScript))
    expect((await offerState(offerId)).state).toBe('invalidated')
    await cancelOffer(buyer, { id, offerId })
    await send(instead(fee))
    expect((await offerState(offerId)).state).toBe('cancelled')
    await market.mine()
  })

  it('ends offers when a reorg removes their payment coins', async () => {
    const { trader, keys } = await keyHolder(market)
    const [coin] = await coinsOf(market, trader)
    const mine = (outputs: TxOutput[], feeRateSatVb: number) =>
      buildPayment([coin!], outputs, { privateKey: keys.payment, feeRateSatVb })
    const refund = mine([{ valueSats: 2_000_000, script: trader.wallet.paymentScript }], 2)
    await send(refund)
    await market.mine()
    const block = await tipOf()
    const { slug, ids } = await market.collection(owner.trader.wallet, 1)
    const { offers } = await bid(trader, slug, {
      target: { kind: 'all' },
      priceSats: 500_000,
      coins: await coinsOf(market, trader),
    })
    const { items } = await offer(trader, slug, await offering(market, trader, [ids[0]!], 600_000))
    const both = [offers[0]!.offerId, items[0]!.offerId]
    const states = async () => Promise.all(both.map(async (each) => (await offerState(each)).state))
    expect(await states()).toEqual(['active', 'active'])
    // The offers stay active, since their coins are in the mempool.
    await undo(block)
    expect((await states())[0]).toBe('active')
    const conflict = mine([{ valueSats: 3_000_000, script: buyer.wallet.paymentScript }], 50)
    await market.regtest.mineExactly([conflict])
    await market.regtest.mine(4)
    await market.server.sync()
    expect(await states()).toEqual(['invalidated', 'invalidated'])
    const branch = await market.regtest.call<string>(
      'getblockhash',
      (await market.regtest.call<number>('getblockcount')) - 4,
    )
    await market.regtest.call('invalidateblock', branch)
    await redo(block)
    expect(await states()).toEqual(['active', 'active'])
  })
})

it('hides a proposal while an offered item is being spent', async () => {
  const { slug, ids } = await market.collection(owner.trader.wallet, 1)
  const fee = await funded()
  await market.server.sync()
  const { url } = market.server
  const { cookie } = await signInAtStorefront(url, owner.trader.wallet)
  const { status } = await visit(url, '/web/v1/proposals', {
    cookie,
    body: {
      walletBindingId: owner.trader.walletBindingId,
      visibility: 'public',
      offeredInscriptionIds: ids,
      offeredBtcSats: 0,
      requestedBtcSats: 50_000,
      wantedLegs: [],
      validityHours: 6,
    },
  })
  expect(status).toBe(200)
  const feed = async () =>
    (await buyer.client.call('listTradeProposals', { query: { collectionSlug: slug } })).proposals.length
  expect(await feed()).toBe(1)
  await send(moving(await market.coinOf(ids[0]!), fee, owner.trader.wallet.paymentScript))
  expect(await feed()).toBe(0)
  await send(instead(fee))
  expect(await feed()).toBe(1)
  await market.mine()
})

it('rejects payment coins with an inscription', async () => {
  const trader = await market.trader()
  const { slug, id } = await listed()
  const agreement = await agreementFor(market, trader, [id])
  const inscribe = () =>
    market.regtest.inscribe([
      {
        inscription: { contentType: 'text/plain', body: new Uint8Array(10) },
        owner: trader.wallet.paymentScript,
        postageSats: 900_000,
      },
    ])
  const expectRefused = async () => {
    const coins = (await coinsOf(market, trader)).filter((each) => each.valueSats === 900_000)
    expect(coins.length).toBeGreaterThan(0)
    await expect(buy(trader, slug, { ...agreement, coins })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/skipped: .*(contain|not indexed yet)/),
    })
  }
  // Keep the index from advancing.
  await market.sql.begin(async (tx) => {
    await lockIndex(tx)
    await inscribe()
    await expectRefused()
  })
  await market.server.sync()
  await expectRefused()
  await buy(trader, slug, agreement)
  await market.mine()
})

it("polls a slow node's mempool less often", async () => {
  const node = new CoreSource(market.node.url)
  let looks = 0
  const slow: ChainSource = Object.create(node, {
    mempoolTxids: {
      async value() {
        looks++
        if (looks === 1) await sleep(600)
        return node.mempoolTxids()
      },
    },
  })
  const watcher = new MempoolWatcher(market.sql, slow, [])
  expect(watcher.rests).toBe(false)
  await watcher.look()
  expect(watcher.rests).toBe(true)
  await watcher.look()
  expect(looks).toBe(2)
  expect(watcher.rests).toBe(false)
})
