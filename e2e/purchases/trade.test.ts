import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { landingOf, offsetOfInput } from '@ordbook/bitcoin/sat-flow.ts'
import { satsOfBtc, sumSats } from '@ordbook/bitcoin/sats.ts'
import { vsizeOf } from '@ordbook/bitcoin/transaction.ts'
import { buy, coreSource, verifyReceipt } from '@ordbook/sdk/index.ts'
import { describe, expect, it } from 'vitest'
import { balanceOf, onChain, spentOnItself } from '../support/chain.ts'
import { sampled } from '../support/effort.ts'
import { agreementFor, listAll, setUpMarket } from '../support/market.ts'

type Kind = 'p2wpkh' | 'p2sh-p2wpkh' | 'p2tr'
const KINDS: readonly Kind[] = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr']
type Trade = [count: number, kind: Kind]
const ALL_TRADES = KINDS.flatMap((kind) => [1, 2, 7, 20].map((count): Trade => [count, kind]))
const TRADES = sampled<Trade[]>(ALL_TRADES, ALL_TRADES, [
  [7, 'p2wpkh'],
  [2, 'p2sh-p2wpkh'],
  [1, 'p2tr'],
])

const market = setUpMarket({ ANCHOR_POOL: '200' })

describe('settlement to the sat', () => {
  it.each(TRADES)('settles %i paid from %s', async (count, kind) => {
    const seller = await market.trader()
    const buyer = await market.trader(kind)
    const price = 123_457
    const { slug, ids } = await market.collection(seller.wallet, count, 9_001)
    await market.anchors(2 * count + 2)
    await listAll(market, seller, slug, ids, price)
    const agreement = await agreementFor(market, buyer, ids)
    const coinsBefore = await Promise.all(ids.map((id) => market.coinOf(id)))
    const buyerBefore = await balanceOf(market, buyer.wallet.paymentScript)
    const sellerBefore = await balanceOf(market, seller.wallet.paymentScript)
    const marketBefore = await balanceOf(market, market.server.context.market.coinScript)

    const bought = await buy(buyer, slug, agreement)
    expect(bought.listingTransferTxids).toHaveLength(count)
    const pending = await market.regtest.call<{ fees: { base: number } }>(
      'getmempoolentry',
      bought.settlementTxid,
    )
    await market.mine()

    const { tx, spent, confirmations } = await onChain(market, bought.settlementTxid)
    expect(confirmations).toBeGreaterThan(0)
    expect(spent.filter((output) => equalBytes(output.script, buyer.wallet.paymentScript))).toHaveLength(1)
    // Each inscription's coin passes through its transfer unchanged, and lands in the buyer's output at offset 0.
    const values = spent.map((output) => output.valueSats)
    for (const [i, transferTxid] of bought.listingTransferTxids.entries()) {
      const transfer = await onChain(market, transferTxid)
      expect(transfer.tx.inputs[0]).toMatchObject({
        txid: coinsBefore[i]!.txid,
        vout: coinsBefore[i]!.vout,
      })
      expect(landingOf(0, transfer.tx.outputs)).toEqual({ vout: 0, offset: 0 })
      expect(transfer.tx.outputs[0]!.valueSats).toBe(9_001)
      const escrow = tx.inputs.findIndex((input) => input.txid === transferTxid && input.vout === 0)
      const landing = landingOf(offsetOfInput(escrow, values), tx.outputs)
      expect(landing).toMatchObject({ offset: 0 })
      const output = tx.outputs[(landing as { vout: number }).vout]!
      expect(output.valueSats).toBe(9_001)
      expect(equalBytes(output.script, buyer.wallet.ordinalsScript)).toBe(true)
      expect(await market.coinOf(ids[i]!)).toMatchObject({
        txid: bought.settlementTxid,
        valueSats: 9_001,
      })
    }
    const fee = Math.floor(price / 100)
    const received = (await balanceOf(market, seller.wallet.paymentScript)) - sellerBefore
    expect(received).toBe(count * (price - fee + 9_001))
    const payouts = tx.outputs.filter((output) => equalBytes(output.script, seller.wallet.paymentScript))
    expect(payouts.map((output) => output.valueSats)).toEqual(Array(count).fill(price - fee + 9_001))
    expect(buyerBefore - (await balanceOf(market, buyer.wallet.paymentScript))).toBe(bought.costSats)
    // Inputs minus outputs, as computed by the node. The transfers pay with their anchors.
    const feeSats = sumSats(values) - sumSats(tx.outputs.map((output) => output.valueSats))
    expect(feeSats).toBe(satsOfBtc(pending.fees.base))
    // The market receives its two fees, and its anchors and tail coin are refunded.
    const marketAfter = await balanceOf(market, market.server.context.market.coinScript)
    expect(marketAfter + (await spentOnItself(market)) - marketBefore).toBe(count * 2 * fee)
    expect(bought.costSats).toBe(received + count * 2 * fee + feeSats + count * 330)
    console.log(
      `${market.node.kind} ${kind} N=${count}: S ${vsizeOf(tx)} vB, fee ${feeSats}, cost ${bought.costSats}`,
    )

    const receipt = await buyer.client.call('getReceipt', { params: { txid: bought.settlementTxid } })
    const { facts, paths } = await verifyReceipt(receipt, coreSource(market.node.url), bought.settlementTxid)
    expect(facts.costSats).toBe(bought.costSats)
    expect(paths.map((path) => path.length)).toEqual(ids.map(() => 3))
    const cheated = structuredClone(receipt)
    cheated.terms.items[0]!.priceSats += 1
    cheated.terms.items[0]!.sellerReceiveSats += 1
    const refuses = (told: typeof receipt, txid: string) =>
      expect(verifyReceipt(told, coreSource(market.node.url), txid)).rejects
    await refuses(cheated, bought.settlementTxid).toThrow(/the seller of/)
    const cheap = structuredClone(receipt)
    cheap.terms.items[0]!.priceSats = 1000
    await refuses(cheap, bought.settlementTxid).toThrow(/the price of/)
    await refuses(receipt, 'ab'.repeat(32)).toThrow(/instead of abab/)

    const { sales } = await buyer.client.call('listSales', { query: { collectionSlug: slug } })
    expect(sales.map((sale) => sale.inscriptionId).toSorted()).toEqual(ids.toSorted())
    expect(sales[0]).toMatchObject({
      saleType: 'internal',
      txid: bought.settlementTxid,
      priceSats: price,
      sellerAddress: seller.wallet.ordinalsAddress,
      buyerAddress: buyer.wallet.ordinalsAddress,
    })
  })

  it('settles with twenty-six small payment coins', async () => {
    const seller = await market.trader()
    const buyer = await market.trader('p2sh-p2wpkh')
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await market.anchors(8)
    await listAll(market, seller, slug, ids, 50_000)
    const dust = { valueSats: 2620, script: buyer.wallet.paymentScript }
    await market.regtest.pay(Array(30).fill(dust))
    await market.mine()
    const { coins, ...agreement } = await agreementFor(market, buyer, ids)
    // One more coin would permit the layout with the tail. Without it, splitting costs too much.
    const small = coins.filter((coin) => coin.valueSats === 2620).slice(0, 26)
    const marketBefore = await balanceOf(market, market.server.context.market.coinScript)
    const bought = await buy(buyer, slug, { ...agreement, coins: small })
    await market.mine()
    const { tx, spent } = await onChain(market, bought.settlementTxid)
    const { coinScript } = market.server.context.market
    expect(
      spent.slice(0, 2).map((output) => [output.valueSats, equalBytes(output.script, coinScript)]),
    ).toEqual([
      [330, true],
      [330, true],
    ])
    const used = spent.filter((output) => equalBytes(output.script, buyer.wallet.paymentScript)).length
    expect(used).toBeGreaterThan(20)
    expect(await market.coinOf(ids[0]!)).toMatchObject({
      txid: bought.settlementTxid,
      valueSats: 10_000,
      script: buyer.wallet.ordinalsScript,
    })
    expect((await balanceOf(market, coinScript)) + (await spentOnItself(market)) - marketBefore).toBe(1000)
    const receipt = await buyer.client.call('getReceipt', { params: { txid: bought.settlementTxid } })
    const { facts } = await verifyReceipt(receipt, coreSource(market.node.url), bought.settlementTxid)
    expect(facts.costSats).toBe(bought.costSats)
    console.log(`${market.node.kind} layout D, ${used} coins: S ${vsizeOf(tx)} vB, cost ${bought.costSats}`)
  })

  it('resells a bought item', async () => {
    const first = await market.trader()
    const second = await market.trader('p2tr')
    const { slug, ids } = await market.collection(first.wallet, 1)
    await listAll(market, first, slug, ids, 50_000)
    await buy(second, slug, await agreementFor(market, second, ids))
    await market.mine()
    await listAll(market, second, slug, ids, 100_000)
    const small = Array.from({ length: 4 }, () => ({ valueSats: 35_000, script: first.wallet.paymentScript }))
    await market.regtest.pay(small)
    await market.mine()
    const agreement = await agreementFor(market, first, ids)
    const coins = agreement.coins.filter((coin) => coin.valueSats === 35_000)
    const bought = await buy(first, slug, { ...agreement, coins })
    await market.mine()
    expect(await market.coinOf(ids[0]!)).toMatchObject({
      txid: bought.settlementTxid,
      script: first.wallet.ordinalsScript,
    })
  })
})
