import { randomBytes } from 'node:crypto'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import {
  acceptCounter,
  acceptOffer,
  bid,
  coreSource,
  counter,
  offer,
  prepareFill,
  verifyFill,
} from '@ordbook/sdk/index.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { describe, expect, it } from 'vitest'
import { balanceOf, onChain, spentOnItself } from '../support/chain.ts'
import { enter, setUpMarket, type TestTrader } from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'

const market = setUpMarket({ ANCHOR_POOL: '200' })

const KINDS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const

async function balances(buyer: TestTrader, seller: TestTrader) {
  return {
    buyer: await balanceOf(market, buyer.wallet.paymentScript),
    seller: await balanceOf(market, seller.wallet.paymentScript),
    market: await balanceOf(market, market.server.context.market.coinScript),
  }
}

const rowsOf = (trader: TestTrader, id: string) =>
  trader.client.call('listInscriptionOffers', { params: { id } })
const historyOf = (trader: TestTrader, id: string) =>
  trader.client.call('listInscriptionOfferHistory', { params: { id } })
const statusOf = async (trader: TestTrader, id: string, offerId: string) =>
  (await historyOf(trader, id)).offers.find((row) => row.id === offerId)?.status

it('settles an offer from a wallet with one address', async () => {
  const key = new Uint8Array(randomBytes(32))
  const wallet = new LocalWallet({ ordinals: key, payment: key }, { network: 'regtest', paymentKind: 'p2tr' })
  await market.regtest.pay([{ valueSats: 1_000_000, script: wallet.paymentScript }])
  await market.mine()
  const seller = await enter(market.base, wallet)
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(wallet, 1)
  const { items } = await offer(buyer, slug, await offering(market, buyer, ids, 100_000))
  const { config } = market.server.context
  config.feeRateMinSatVb = 12
  try {
    const accepted = await acceptOffer(seller, items[0]!.offerId, await selling(market, ids[0]!, 100_000))
    await market.mine()
    expect((await onChain(market, accepted.payoutTxid!)).confirmations).toBe(1)
  } finally {
    config.feeRateMinSatVb = 1
  }
})

describe('settlement to the sat', () => {
  for (const kind of KINDS) {
    it(`settles an offer paid from ${kind}`, async () => {
      const seller = await market.trader(kind)
      const buyer = await market.trader(kind)
      const { slug, ids } = await market.collection(seller.wallet, 1, 9_001)
      const [id] = ids as [string]
      const price = 250_000
      const fee = price / 100
      const before = await balances(buyer, seller)
      const created = await offer(buyer, slug, await offering(market, buyer, ids, price))
      const { offerId } = created.items[0]!
      const { topOfferSats, offers } = await rowsOf(seller, id)
      expect(topOfferSats).toBe(price)
      expect(offers[0]).toMatchObject({ id: offerId, status: 'active', sellerReceiveSats: price - fee })

      const accepted = await acceptOffer(seller, offerId, await selling(market, id, price))
      expect(accepted).toMatchObject({ status: 'accepted', payoutTxid: null })
      await market.mine()

      const { tx, feeSats, confirmations } = await onChain(market, accepted.settlementTxid)
      expect(confirmations).toBe(1)
      expect(tx.outputs[0]!.valueSats).toBe(9_001)
      expect(equalBytes(tx.outputs[0]!.script, buyer.wallet.ordinalsScript)).toBe(true)
      expect(await market.coinOf(id)).toMatchObject({
        txid: accepted.settlementTxid,
        vout: 0,
        valueSats: 9_001,
      })
      const after = await balances(buyer, seller)
      // The buyer pays price, fee, postage and network fee. The seller receives the price minus the fee, and the postage.
      expect(before.buyer - after.buyer).toBe(price + fee + 9_001 + feeSats)
      expect(after.seller - before.seller).toBe(price - fee + 9_001)
      expect(after.seller - before.seller).toBe(accepted.payoutSats)
      expect(after.market + (await spentOnItself(market)) - before.market).toBe(2 * fee)
      expect(await statusOf(buyer, id, offerId)).toBe('accepted')
      const { sales } = await buyer.client.call('listSales', { query: { limit: 1 } })
      expect(sales[0]).toMatchObject({ txid: accepted.settlementTxid, inscriptionId: id, priceSats: price })
      console.log(`${market.node.kind} ${kind} offer: S ${vsizeOf(tx)} vB, fee ${feeSats}`)
    })

    it(`bumps an offer paid to ${kind}`, async () => {
      const seller = await market.trader(kind)
      const buyer = await market.trader(kind)
      const { slug, ids } = await market.collection(seller.wallet, 1)
      const [id] = ids as [string]
      const created = await offer(buyer, slug, await offering(market, buyer, ids, 100_000))
      const { config } = market.server.context
      config.feeRateMinSatVb = 12
      try {
        const before = await balances(buyer, seller)
        const accepted = await acceptOffer(
          seller,
          created.items[0]!.offerId,
          await selling(market, id, 100_000),
        )
        expect(accepted.payoutTxid).not.toBeNull()
        await market.mine()
        const settlement = await onChain(market, accepted.settlementTxid)
        const lift = await onChain(market, accepted.payoutTxid!)
        const vsize = vsizeOf(settlement.tx) + vsizeOf(lift.tx)
        expect((settlement.feeSats + lift.feeSats) / vsize).toBeGreaterThanOrEqual(12)
        const after = await balances(buyer, seller)
        expect(after.seller - before.seller).toBe(99_000 + 10_000 - lift.feeSats)
        expect(after.seller - before.seller).toBe(accepted.payoutSats)
        console.log(
          `${market.node.kind} ${kind} lifted: S ${vsizeOf(settlement.tx)} vB, fee ${settlement.feeSats}; payout ${vsizeOf(lift.tx)} vB, fee ${lift.feeSats}`,
        )
      } finally {
        config.feeRateMinSatVb = 1
      }
    })

    it(`settles a counter paid from ${kind}`, async () => {
      const seller = await market.trader(kind)
      const buyer = await market.trader(kind)
      const { slug, ids } = await market.collection(seller.wallet, 1, 9_001)
      const [id] = ids as [string]
      const before = await balances(buyer, seller)
      const created = await offer(buyer, slug, await offering(market, buyer, ids, 200_000))
      const parent = created.items[0]!.offerId
      const price = 300_000
      const fee = price / 100
      const countered = await counter(seller, parent, await selling(market, id, price))
      const agreement = {
        inscriptionId: id,
        coin: await market.coinOf(id),
        priceSats: price,
        coins: await coinsOf(market, buyer),
        maxFeeBps: 100,
        maxNetworkSats: 20_000,
      }
      const accepted = await acceptCounter(buyer, countered.offerId, agreement)
      await market.mine()

      const settlement = await onChain(market, accepted.settlementTxid)
      const [transferTxid, fundingTxid] = settlement.tx.inputs.map((input) => input.txid)
      const transfer = await onChain(market, transferTxid!)
      const funding = await onChain(market, fundingTxid!)
      expect(settlement.tx.outputs[0]!.valueSats).toBe(9_001)
      expect(equalBytes(settlement.tx.outputs[0]!.script, buyer.wallet.ordinalsScript)).toBe(true)
      expect(await market.coinOf(id)).toMatchObject({ txid: accepted.settlementTxid, vout: 0 })
      const after = await balances(buyer, seller)
      expect(before.buyer - after.buyer).toBe(accepted.costSats)
      expect(accepted.costSats).toBe(price + fee + 9_001 + 330 + funding.feeSats + settlement.feeSats)
      expect(after.seller - before.seller).toBe(price - fee + 9_001)
      // The fees refund the anchor of the transfer.
      expect(after.market + (await spentOnItself(market)) - before.market).toBe(2 * fee)
      expect(transfer.feeSats).toBe(330)
      expect(await statusOf(buyer, id, countered.offerId)).toBe('accepted')
      expect(await statusOf(buyer, id, parent)).toBe('cancelled')
      console.log(
        `${market.node.kind} ${kind} counter: T ${vsizeOf(transfer.tx)} vB, F ${vsizeOf(funding.tx)} vB fee ${funding.feeSats}, S ${vsizeOf(settlement.tx)} vB fee ${settlement.feeSats}`,
      )
    })

    it(`settles a collection offer paid from ${kind}`, async () => {
      const seller = await market.trader(kind)
      const maker = await market.trader(kind)
      const { slug, ids } = await market.collection(seller.wallet, 3, 9_001)
      const [, id] = ids as [string, string]
      const price = 100_000
      const fee = 2500
      const before = await balances(maker, seller)
      const coins = await coinsOf(market, maker)
      const target = { kind: 'all' } as const
      const created = await bid(maker, slug, { target, priceSats: price, coins, eligibleIds: ids })
      const { offerId, fundingParentTxid } = created.offers[0]!
      expect(await market.regtest.call('getrawmempool')).not.toContain(fundingParentTxid)
      const { body, payoutSats } = await prepareFill(
        seller,
        slug,
        offerId,
        await selling(market, id, price, 250),
      )
      const submit = () =>
        seller.client.call('submitCollectionOfferFill', { params: { slug, offerId }, body })
      const filled = await submit()
      expect(filled.status).toBe('broadcast')
      await market.mine()
      expect(await submit()).toEqual({ ...filled, status: 'accepted' })

      const settlement = await onChain(market, filled.settlementTxid)
      const parent = await onChain(market, fundingParentTxid)
      expect(parent.feeSats).toBe(0)
      expect(parent.tx.version).toBe(3)
      expect(settlement.tx.outputs[0]!.valueSats).toBe(9_001)
      expect(equalBytes(settlement.tx.outputs[0]!.script, maker.wallet.ordinalsScript)).toBe(true)
      expect(await market.coinOf(id)).toMatchObject({ txid: filled.settlementTxid, vout: 0 })
      const after = await balances(maker, seller)
      // The maker pays only the price. The seller pays the fee, the network fee and the postage.
      expect(before.buyer - after.buyer).toBe(price)
      expect(after.seller - before.seller).toBe(price - fee - settlement.feeSats)
      expect(after.seller - before.seller).toBe(payoutSats)
      expect(after.market + (await spentOnItself(market)) - before.market).toBe(fee)
      console.log(
        `${market.node.kind} ${kind} fill: F ${vsizeOf(parent.tx)} vB fee 0, S ${vsizeOf(settlement.tx)} vB fee ${settlement.feeSats}`,
      )
      const proof = await maker.client.call('getEligibility', { params: { txid: filled.settlementTxid } })
      const path = await verifyFill(proof, created.kept[0]!, coreSource(market.node.url))
      expect(path.at(-1)).toBe(`${filled.settlementTxid}:0:0`)
    })
  }
})
