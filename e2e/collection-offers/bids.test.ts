import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { decodeTransaction, hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { json } from '@ordbook/db/driver/connect.ts'
import { pack, unpack } from '@ordbook/db/driver/pack.ts'
import { encodeBlock, mineBlock } from '@ordbook/devnet/block.ts'
import {
  type ApiError,
  acceptOffer,
  bid,
  buy,
  cancelBid,
  declineBids,
  fill,
  list,
  offer,
  prepareBid,
  prepareFill,
  prepareListing,
  prepareOffer,
} from '@ordbook/sdk/index.ts'
import type { Signed } from '@ordbook/signer/requests.ts'
import { beforeAll, expect, it } from 'vitest'
import { withJunk } from '../purchases/support/junk.ts'
import { agreementFor, keyHolder, listAll, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'

const market = setUpMarket({ ANCHOR_POOL: '120' })
beforeAll(() => {
  feeRate(1)
})

const ALL = { kind: 'all' } as const

function feeRate(satVb: number): void {
  const { config } = market.server.context
  config.feeRateMinSatVb = satVb
  config.feeRateMaxSatVb = satVb
}

async function smallCoins(count: number, valueSats: number): Promise<{ maker: TestTrader; coins: Coin[] }> {
  const maker = await market.trader('p2sh-p2wpkh')
  const script = maker.wallet.paymentScript
  const paid = await market.regtest.pay(Array.from({ length: count }, () => ({ valueSats, script })))
  await market.mine()
  const coins = paid.outputs.flatMap((output, vout) =>
    equalBytes(output.script, script) && output.valueSats === valueSats
      ? [{ txid: txidOf(paid), vout, ...output }]
      : [],
  )
  return { maker, coins }
}

const isExecutable = async (offerId: string) => {
  const [row] = await market.sql<{ executable: boolean }[]>`
    select executable from collection_offers where offer_id = ${offerId}`
  return row!.executable
}

const agree = async (ids: readonly string[], priceSats: number) =>
  Promise.all(
    ids.map(async (inscriptionId) => ({
      inscriptionId,
      priceSats,
      coin: await market.coinOf(inscriptionId),
      maxFeeBps: 100,
    })),
  )

const floorOf = async (slug: string, reader: TestTrader) => {
  const { data } = await reader.client.call('listCollectionFloorStats', { query: { slugs: slug } })
  return data[0]
}

it('rejects a collection bid that no node would relay', async () => {
  const { trader: bidder, keys } = await keyHolder(market)
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 2)
  const coins = await coinsOf(market, bidder)
  for (const extra of [1, 5000]) {
    const { body } = await prepareBid(bidder, slug, { target: ALL, priceSats: 4_900_000, coins }, 2160)
    const offers = body.offers.map((offer) => ({
      ...offer,
      signedFundingParentStep: withJunk(offer.signedFundingParentStep, {
        index: 0,
        key: keys.payment,
        extra,
      }),
    }))
    await expect(
      bidder.client.call('submitCollectionWideOffer', { params: { slug }, body: { ...body, offers } }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('expected 64, or 65 with a sighash byte'),
    })
  }
  const book = await owner.client.call('listCollectionOfferBook', { params: { slug } })
  expect(book.totalCount).toBe(0)
  expect((await list(owner, slug, await agree(ids, 50_000))).listings).toHaveLength(2)
})

it('rejects an offer and a listing that no node would relay', async () => {
  const { trader: bidder, keys } = await keyHolder(market)
  const { trader: liar, keys: liarKeys } = await keyHolder(market)
  const honest = await market.trader()
  const { slug, ids } = await market.collection([honest.wallet, liar.wallet], 2)
  await market.anchors(12)
  await listAll(market, honest, slug, ids.slice(0, 1), 500_000)
  const before = await floorOf(slug, honest)

  const { body } = await prepareOffer(bidder, slug, await offering(market, bidder, [ids[1]!], 4_000_000), 24)
  const signedItems = body.signedItems.map((item) => ({
    ...item,
    signedSteps: item.signedSteps.map((step) => withJunk(step, { index: 1, key: keys.payment, extra: 1 })),
  }))
  await expect(
    bidder.client.call('submitCollectionOffer', { params: { slug }, body: { ...body, signedItems } }),
  ).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('expected 64, or 65 with a sighash byte'),
  })
  const { offers } = await honest.client.call('listInscriptionOffers', { params: { id: ids[1]! } })
  expect(offers).toEqual([])

  const { body: listing } = await prepareListing(liar, slug, await agree(ids.slice(2), 1000))
  const signed = listing.signed.map((each) => ({
    ...each,
    psbts: each.psbts.map((step) =>
      step.stepIndex === 0 ? withJunk(step, { index: 0, key: liarKeys.ordinals, extra: 1 }) : step,
    ),
  }))
  await expect(
    liar.client.call('submitListing', { params: { slug }, body: { ...listing, signed } }),
  ).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('expected 64, or 65 with a sighash byte'),
  })
  expect(await floorOf(slug, honest)).toEqual(before)
})

it('omits bids that would pay the seller nothing', async () => {
  const { maker, coins } = await smallCoins(50, 2020)
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 3)
  await market.anchors(12)
  feeRate(20)
  await expect(bid(maker, slug, { target: ALL, priceSats: 100_000, coins })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('Use fewer, larger coins'),
  })
  feeRate(1)
  const created = await bid(maker, slug, { target: ALL, priceSats: 100_000, coins })
  const { offerId } = created.offers[0]!
  // The bid pays about 92,500 sats, more than the listing would.
  await expect(list(owner, slug, await agree([ids[0]!], 90_000))).rejects.toMatchObject({ status: 409 })
  await list(owner, slug, await agree([ids[0]!], 98_000))

  // A rate that the job has not seen: it rechecks when the rate changes.
  feeRate(21)
  await until('the bid to become unexecutable', async () => !(await isExecutable(offerId)))
  const book = await owner.client.call('listCollectionOfferBook', { params: { slug } })
  expect(book.rows.map((row) => row.id)).toEqual([offerId])
  await list(owner, slug, await agree([ids[1]!], 50_000))

  feeRate(1)
  await until('the bid to become executable again', () => isExecutable(offerId))
  await expect(list(owner, slug, await agree([ids[2]!], 50_000))).rejects.toMatchObject({ status: 409 })
  await cancelBid(maker, slug, offerId)
})

it('warns the seller about a bid with a higher payout', async () => {
  feeRate(5)
  const { maker, coins } = await smallCoins(40, 2540)
  const rich = await market.trader()
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 2)
  const higherPrice = (await bid(maker, slug, { target: ALL, priceSats: 100_000, coins })).offers[0]!
  const higherPayout = (
    await bid(rich, slug, { target: ALL, priceSats: 95_000, coins: await coinsOf(market, rich) })
  ).offers[0]!
  const book = await owner.client.call('listCollectionOfferBook', { params: { slug } })
  expect(book.rows.map((row) => row.priceSats)).toEqual([100_000, 95_000])

  const toDear = await prepareFill(owner, slug, higherPrice.offerId, {
    ...(await selling(market, ids[0]!, 100_000, 300)),
    maxNetworkSats: 30_000,
    evenBelowTopOffer: true,
  })
  expect(toDear.answer.belowTopOfferWarning).toEqual({
    selectedOffer: { offerId: higherPrice.offerId, priceSats: 100_000 },
    topOffer: { offerId: higherPayout.offerId, priceSats: 95_000 },
  })
  await expect(
    fill(owner, slug, higherPrice.offerId, await selling(market, ids[0]!, 100_000, 300)),
  ).rejects.toMatchObject({ topOfferId: higherPayout.offerId })
  const toPlain = await prepareFill(
    owner,
    slug,
    higherPayout.offerId,
    await selling(market, ids[0]!, 95_000, 300),
  )
  expect(toPlain.answer.belowTopOfferWarning).toBeNull()
  const paid = await fill(owner, slug, higherPayout.offerId, await selling(market, ids[0]!, 95_000, 300))
  expect(paid.status).toBe('broadcast')
  await market.mine()
  feeRate(1)
})

it('lets an owner decline collection bids', async () => {
  const bidder = await market.trader()
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 2)
  await market.anchors(8)
  const [id, other] = [ids[0]!, ids[1]!]
  const { offerId } = (
    await bid(bidder, slug, { target: ALL, priceSats: 200_000, coins: await coinsOf(market, bidder) })
  ).offers[0]!
  await expect(list(owner, slug, await agree([id], 100_000))).rejects.toMatchObject({ status: 409 })
  await expect(declineBids(bidder, id)).rejects.toMatchObject({ status: 403 })
  expect(await declineBids(owner, id)).toEqual({ inscriptionId: id, declined: true })
  expect(await declineBids(owner, id)).toEqual({ inscriptionId: id, declined: true })

  await list(owner, slug, await agree([id], 100_000))
  await expect(list(owner, slug, await agree([other], 100_000))).rejects.toMatchObject({ status: 409 })
  await expect(fill(owner, slug, offerId, await selling(market, id, 200_000, 300))).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining(`Collection offers on ${id} are turned off`),
  })

  // Accepting bids again does not bind the next owner.
  await declineBids(owner, id, false)
  await expect(list(owner, slug, await agree([id], 100_000))).rejects.toMatchObject({ status: 409 })
  await declineBids(owner, id)
  const buyer = await market.trader()
  await buy(buyer, slug, await agreementFor(market, buyer, [id]))
  await market.mine()
  await expect(list(buyer, slug, await agree([id], 150_000))).rejects.toMatchObject({ status: 409 })
})

it('ends the other bids of a ladder after a fill', async () => {
  const { trader: maker } = await keyHolder(market)
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const coins = await coinsOf(market, maker)
  expect(coins).toHaveLength(1)
  const ladder = { target: ALL, priceSats: 60_000, offerCount: 3, ladderStepSats: 10_000, coins }
  const { body, answer } = await prepareBid(maker, slug, ladder)
  expect(answer.offers.map((offer) => offer.sharesCoinsWith)).toEqual([
    [1, 2],
    [0, 2],
    [0, 1],
  ])
  const created = await maker.client.call('submitCollectionWideOffer', { params: { slug }, body })
  expect(created.offers.map((offer) => offer.sharesCoinsWith)).toEqual([
    [1, 2],
    [0, 2],
    [0, 1],
  ])
  await fill(owner, slug, created.offers[0]!.offerId, await selling(market, ids[0]!, 60_000, 300))
  const states = await market.sql<{ priceSats: number; state: string }[]>`
    select price_sats, state from collection_offers where offer_id = any(${created.offers.map((offer) => offer.offerId)}::uuid[])
    order by price_sats desc`
  expect([...states]).toEqual([
    { priceSats: 60_000, state: 'filled' },
    { priceSats: 50_000, state: 'invalidated' },
    { priceSats: 40_000, state: 'invalidated' },
  ])
  await market.mine()
})

/** Returns the error of a trade whose transactions `change` makes invalid. */
async function broken(change: (tx: Tx) => void, trade: () => Promise<unknown>): Promise<ApiError> {
  const { context } = market.server
  const { signer } = context
  const changed = (signed: Signed[]) =>
    signed.map(({ hex, ...each }) => {
      const tx = decodeTransaction(hex)
      change(tx)
      return { ...each, hex: hexOfTransaction(tx) }
    })
  context.signer = {
    ...signer,
    signSettlement: async (request) => changed(await signer.signSettlement(request)),
    signFill: async (request) => changed(await signer.signFill(request)),
  }
  try {
    return await trade().then(
      () => Promise.reject(new Error('the trade succeeded')),
      (error: ApiError) => error,
    )
  } finally {
    context.signer = signer
  }
}

const spoil = (coin: { txid: string; vout: number }) => (tx: Tx) => {
  for (const input of tx.inputs)
    if (input.txid === coin.txid && input.vout === coin.vout)
      input.witness[0] = new Uint8Array([...input.witness[0]!.slice(0, 64), 7, 1])
}

it('ends a listing whose signature the node rejects', async () => {
  const owners = [await market.trader(), await market.trader()]
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(
    owners.map((owner) => owner.wallet),
    1,
  )
  await market.anchors(10)
  const [honest, bad] = [ids[0]!, ids[1]!]
  await listAll(market, owners[0]!, slug, [honest], 50_000)
  const listed = await listAll(market, owners[1]!, slug, [bad], 50_000)
  const agreement = await agreementFor(market, buyer, ids)
  const refusal = await broken(spoil(await market.coinOf(bad)), () => buy(buyer, slug, agreement))
  expect(refusal.status).toBe(409)
  expect(refusal.message).toMatch(/Invalid Schnorr signature size/)
  expect(refusal.message).toContain(`the listing of ${bad} has ended; buy without it`)

  const order = await owners[1]!.client.call('getOrder', { params: { listingId: listed.get(bad)! } })
  expect(order.events.at(-1)).toMatchObject({
    to: 'cancelled',
    reason: expect.stringContaining("the network rejected the seller's signatures"),
  })
  const { listings } = await buyer.client.call('listListings', { query: { collectionSlug: slug } })
  expect(listings.map((listing) => listing.inscriptionId)).toEqual([honest])
  await buy(buyer, slug, await agreementFor(market, buyer, [honest]))
  await market.mine()
})

it('ends a bid whose signature the node rejects', async () => {
  const { trader: maker } = await keyHolder(market)
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 2)
  const coins = await coinsOf(market, maker)
  const [id] = [ids[0]!]
  const created = await bid(maker, slug, { target: ALL, priceSats: 60_000, coins })
  const { offerId } = created.offers[0]!
  const sale = await selling(market, id, 60_000, 300)
  const stateOf = async () => {
    const [row] = await market.sql<{ state: string; reason: string | null }[]>`
      select state, reason from collection_offers where offer_id = ${offerId}`
    return row!
  }
  const sellersError = await broken(spoil(await market.coinOf(id)), () => fill(owner, slug, offerId, sale))
  expect(sellersError).toMatchObject({ status: 409, message: expect.stringContaining('signature') })
  expect((await stateOf()).state).toBe('active')

  const makersError = await broken(spoil(coins[0]!), () => fill(owner, slug, offerId, sale))
  expect(makersError).toMatchObject({ status: 409, message: expect.stringContaining('the offer has ended') })
  expect(await stateOf()).toMatchObject({
    state: 'invalidated',
    reason: expect.stringContaining('Invalid Schnorr signature size'),
  })
  await market.mine()
  await until('all checks to end', async () => {
    const rows = await market.sql`select 1 from backing_coins where recheck`
    return rows.length === 0
  })
  expect((await stateOf()).state).toBe('invalidated')
})

it('ends an offer whose signature the node rejects', async () => {
  const { trader: maker } = await keyHolder(market)
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const id = ids[0]!
  const created = await offer(maker, slug, await offering(market, maker, [id], 60_000))
  const { offerId } = created.items[0]!
  const [row] = await market.sql<{ signatures: object }[]>`
    select signatures from offers where offer_id = ${offerId}`
  const signatures = unpack<Uint8Array[]>(row!.signatures)
  const junk = signatures.map((signature) => new Uint8Array([...signature, 7, 1]))
  await market.sql`update offers set signatures = ${json(market.sql, pack(junk))} where offer_id = ${offerId}`
  await expect(acceptOffer(owner, offerId, await selling(market, id, 60_000))).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('the offer has ended'),
  })
  const { offers } = await owner.client.call('listInscriptionOfferHistory', {
    params: { id },
    query: { page: 0 },
  })
  expect(offers.map((offer) => [offer.id, offer.status])).toEqual([[offerId, 'invalidated']])
})

it('rejects an immature coinbase output for a bid', async () => {
  const { trader: maker } = await keyHolder(market)
  const owner = await market.trader()
  const { slug } = await market.collection(owner.wallet, 1)
  const { regtest } = market
  const previous = await regtest.call<string>('getbestblockhash')
  const tip = await regtest.call<{ height: number; time: number }>('getblockheader', previous)
  const [height, time] = [tip.height + 1, tip.time + 1]
  // The first sat of a block is rare, so it must not be in the maker's coin.
  const blockOptions = { rewardSats: 330, script: owner.wallet.paymentScript }
  const coin = { valueSats: 100_000, script: maker.wallet.paymentScript }
  const block = mineBlock({ previous, height, time, ...blockOptions, transactions: [], others: [coin] })
  expect(await regtest.call('submitblock', bytesToHex(encodeBlock(block)))).toBeNull()
  await market.server.sync()
  const coins = [{ txid: txidOf(block.transactions[0]!), vout: 2, ...coin }]
  const agreement = { target: ALL, priceSats: 60_000, coins }
  const assertRefused = () =>
    expect(bid(maker, slug, agreement)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('1 coin was skipped: 1 is an immature coinbase output'),
    })
  await assertRefused()
  await market.mine(98)
  await assertRefused()
  await market.mine(1)
  expect((await bid(maker, slug, agreement)).status).toBe('active')
})

it('compares offers by payout at acceptance', async () => {
  const { maker, coins } = await smallCoins(60, 2540)
  const owner = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 1)
  await market.anchors(6)
  feeRate(1)
  const [id] = [ids[0]!]
  const agreement = { ...(await offering(market, maker, [id], 120_000)), coins }
  await offer(maker, slug, agreement)
  await expect(list(owner, slug, await agree([id], 100_000))).rejects.toMatchObject({ status: 409 })
  // At 20 sat/vB, bumping 60 coins would cost most of the payout.
  feeRate(20)
  await list(owner, slug, await agree([id], 100_000))
  feeRate(1)
})
