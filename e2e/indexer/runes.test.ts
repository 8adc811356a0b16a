import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import {
  acceptCounter,
  acceptOffer,
  bid,
  buy,
  counter,
  fill,
  offer,
  preparePurchase,
  propose,
} from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectInMetrics, expectInStatus, metricsAt } from '../support/faults/fault-places.ts'
import { agreementFor, keyHolder, listAll, type TestMarket, type TestTrader } from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'
import { type OrdServer, startMarketWithOrd } from './support/ord-server.ts'
import { etch } from './support/runes.ts'

/** A market with an ord server that indexes runes: the real ord if ORDBOOK_TEST_ORD is set. */
let market: TestMarket
let ord: OrdServer
beforeAll(async () => {
  ;({ market, ord } = await startMarketWithOrd({ ANCHOR_POOL: '100' }))
})
afterAll(async () => {
  await ord?.stop()
  await market?.stop()
})

const PREMINE = 1234

const runesIn = async (txid: string) => {
  const { outputs } = (await market.server.context.node.transaction(txid))!
  const found = await new Ord(ord.url).outputs(outputs.map((_, vout) => ({ txid, vout })))
  return outputs.flatMap(({ script }, vout) => {
    const runes = found.find((each) => each.outpoint === `${txid}:${vout}`)?.runes ?? {}
    return Object.values(runes).map(({ amount }) => ({ vout, script, amount }))
  })
}

async function sellerWithRunes(count: number) {
  const { trader: seller, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, count)
  const script = seller.wallet.ordinalsScript
  for (const id of ids) {
    const coin = await market.coinOf(id)
    const rune = await etch(market.regtest, script, { valueSats: 20_000, premine: PREMINE })
    const joined = buildPayment([coin, rune], [{ valueSats: 10_000, script }], {
      privateKey: keys.ordinals,
      feeRateSatVb: 2,
    })
    await market.regtest.call('sendrawtransaction', hexOfTransaction(joined))
    await market.mine()
    expect(await runesIn(txidOf(joined))).toEqual([{ vout: 0, script, amount: PREMINE }])
  }
  return { seller, slug, ids }
}

const makeBuyer = async (): Promise<TestTrader> => (await keyHolder(market)).trader

/** Expects the rune in the settlement's first output, owned by the buyer. */
async function expectWithBuyer(txid: string, buyer: TestTrader) {
  await market.mine()
  const [held, ...others] = await runesIn(txid)
  expect(others).toEqual([])
  expect(held).toMatchObject({ vout: 0, amount: PREMINE })
  const { ordinalsScript, paymentScript } = buyer.wallet
  expect([ordinalsScript, paymentScript].some((script) => equalBytes(script, held!.script))).toBe(true)
}

const shown = (inscriptionId: string) => [
  { inscriptionId, kind: 'rune', name: expect.stringMatching(/./), amount: '12.34' },
]

it('delivers the runes of a listed coin to the buyer', async () => {
  const { seller, slug, ids } = await sellerWithRunes(1)
  const buyer = await makeBuyer()
  const { walletBindingId } = seller
  const { ordinalsPublicKey } = seller.wallet
  const items = [{ inscriptionId: ids[0]!, priceSats: 50_000 }]
  const prepared = await seller.client.call('preflightListing', {
    params: { slug },
    body: { walletBindingId, ordinalsPublicKey, items },
  })
  expect(prepared.carries).toEqual(shown(ids[0]!))
  await listAll(market, seller, slug, ids, 50_000)
  const { answer } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  expect(answer.carries).toEqual(shown(ids[0]!))
  const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  await expectWithBuyer(settlementTxid, buyer)
}, 120_000)

it('delivers runes to the buyer of an offer', async () => {
  const { seller, slug, ids } = await sellerWithRunes(3)
  const [first, second, third] = ids as [string, string, string]
  const buyer = await makeBuyer()
  const created = await offer(buyer, slug, await offering(market, buyer, [first], 40_000))
  const accepted = await acceptOffer(seller, created.items[0]!.offerId, await selling(market, first, 40_000))
  await expectWithBuyer(accepted.settlementTxid, buyer)

  const answered = await offer(buyer, slug, await offering(market, buyer, [second], 40_000))
  const countering = await counter(seller, answered.items[0]!.offerId, await selling(market, second, 45_000))
  const acceptedCounter = await acceptCounter(
    buyer,
    countering.offerId,
    await countered(market, buyer, second, 45_000),
  )
  await expectWithBuyer(acceptedCounter.settlementTxid, buyer)

  const target = { kind: 'all' } as const
  const { offers } = await bid(buyer, slug, {
    target,
    priceSats: 30_000,
    coins: await coinsOf(market, buyer),
  })
  const filled = await fill(seller, slug, offers[0]!.offerId, await selling(market, third, 30_000, 250))
  await expectWithBuyer(filled.settlementTxid, buyer)
}, 180_000)

it('rejects a swap of a coin with a rune', async () => {
  const { seller, slug, ids } = await sellerWithRunes(1)
  const { trader: other } = await keyHolder(market)
  const ownCollection = await market.collection(other.wallet, 1)
  await market.mine()
  const [giver, taker] = [
    await traderAtStorefront(market.server.url, seller.wallet),
    await traderAtStorefront(market.server.url, other.wallet),
  ]
  const swap = (from: string[], wanted: { slug: string; ids: string[] }) => ({
    visibility: 'public' as const,
    offeredInscriptionIds: from,
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: wanted.slug, quantity: 1, target: { kind: 'all' as const } }],
    requestedBtcSats: 0,
  })
  for (const [proposer, acceptor, from, wanted] of [
    [giver, taker, ids, ownCollection],
    [taker, giver, ownCollection.ids, { slug, ids }],
  ] as const) {
    const proposal = await propose(proposer, swap([...from], wanted), await coinsOf(market, proposer))
    const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: wanted.ids[0]! }]
    const { walletBindingId, client, wallet } = acceptor
    const body = {
      walletBindingId,
      ordinalsPublicKey: wallet.ordinalsPublicKey,
      paymentPublicKey: wallet.paymentPublicKey,
      fills,
      spendableUtxos: (await coinsOf(market, acceptor)).map(({ txid, vout, valueSats }) => ({
        txid,
        vout,
        valueSats,
      })),
    }
    await expect(
      client.call('preflightAcceptance', { params: { proposalId: proposal.id }, body }),
    ).rejects.toMatchObject({ status: 409, message: expect.stringMatching(/contains the rune/) })
  }
}, 120_000)

it('rejects a coin with a rune as payment', async () => {
  const { trader: seller } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const [listed, offered, swapped] = ids as [string, string, string]
  const buyer = await makeBuyer()
  const script = buyer.wallet.paymentScript
  const [plain] = await coinsOf(market, buyer)
  const runic = await etch(market.regtest, script, { valueSats: 6_000_000, premine: PREMINE })
  await market.mine()
  await listAll(market, seller, slug, [listed], 50_000)
  const runeRejection = {
    status: 400,
    message: expect.stringMatching(/skipped: 1 contains an inscription or a rune/),
  }
  const paying = (coins: Coin[]) => ({ coins, maxFeeBps: 100, maxNetworkSats: 20_000 })
  const buying = await agreementFor(market, buyer, [listed])
  await expect(buy(buyer, slug, { ...buying, coins: [runic] })).rejects.toMatchObject(runeRejection)
  const bidding = await offering(market, buyer, [offered], 40_000)
  await expect(offer(buyer, slug, { ...bidding, coins: [runic] })).rejects.toMatchObject(runeRejection)
  const target = { kind: 'all' } as const
  await expect(bid(buyer, slug, { target, priceSats: 30_000, coins: [runic] })).rejects.toMatchObject(
    runeRejection,
  )
  const created = await offer(buyer, slug, { ...bidding, coins: [plain!] })
  const countering = await counter(seller, created.items[0]!.offerId, await selling(market, offered, 45_000))
  const agreement = await countered(market, buyer, offered, 45_000)
  await expect(
    acceptCounter(buyer, countering.offerId, { ...agreement, ...paying([runic]) }),
  ).rejects.toMatchObject(runeRejection)
  const visitor = await traderAtStorefront(market.server.url, buyer.wallet)
  const proposal = {
    visibility: 'public',
    offeredInscriptionIds: [],
    offeredBtcSats: 60_000,
    wantedLegs: [
      { collectionSlug: slug, quantity: 1, target: { kind: 'inscriptions', inscriptionIds: [swapped] } },
    ],
    requestedBtcSats: 0,
  } as const
  await expect(propose(visitor, proposal as never, [runic])).rejects.toMatchObject(runeRejection)

  const { answer } = await preparePurchase(buyer, slug, { ...buying, coins: [runic, plain!] })
  expect(answer.selectedPaymentUtxos.map(formatOutpoint)).toEqual([formatOutpoint(plain!)])
  expect(answer.carries).toEqual([])
}, 120_000)

it('pauses trading while the ord server is behind or down', async () => {
  const { trader: seller } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await ord.sync()
  const { context } = market.server
  const source = context.ord!
  const hash = source.blockHash.bind(source)
  source.blockHash = async () => null
  await expect(listAll(market, seller, slug, ids, 50_000)).rejects.toMatchObject({
    status: 503,
    message: expect.stringMatching(/ord server has not indexed block/),
  })
  source.blockHash = hash
  const status = async () => (await fetch(`${market.server.url}/status`)).json()
  expect(await status()).toMatchObject({ trading: 'open', ord: 'ok' })
  const height = source.height.bind(source)
  source.height = async () => (await height()) - 100
  await expectInStatus(['ord-behind'], market.server.url)
  await expectInMetrics(['ord-behind'], metricsAt(market.server.url))
  source.height = height
  await ord.stop()
  await expectInStatus(['ord-down'], market.server.url)
  await expectInMetrics(['ord-down'], metricsAt(market.server.url))
  expect(await status()).toMatchObject({ ord: 'unavailable' })
  await expect(listAll(market, seller, slug, ids, 50_000)).rejects.toMatchObject({ status: 503 })
})
