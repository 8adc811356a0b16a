import { decodeTransaction, hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { bid, fill } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { setUpMarket } from '../support/market.ts'
import { coinsOf, selling } from '../support/offers.ts'

/**
 * The parent of a fill pays no fee, so testmempoolaccept rejects it and does not check the child. Only our script interpreter checks such a
 * package before the broadcast.
 */
const market = setUpMarket()

it('broadcasts no package with an invalid script', async () => {
  const { context } = market.server
  const { node, signer } = context
  const [seller, bidder] = [await market.trader(), await market.trader()]
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [first, second] = ids as [string, string]
  const sent: string[] = []
  const submitPackage = node.submitPackage.bind(node)
  node.submitPackage = (hexes) => {
    sent.push(...hexes.map((hex) => txidOf(decodeTransaction(hex))))
    return submitPackage(hexes)
  }
  const sellInto = async (inscriptionId: string) => {
    const coins = await coinsOf(market, bidder)
    const created = await bid(bidder, slug, { target: { kind: 'all' }, priceSats: 20_000, coins })
    return fill(seller, slug, created.offers[0]!.offerId, await selling(market, inscriptionId, 20_000, 250))
  }
  // Corrupt one byte of the market's signature. No check of the submit covers it.
  const faulty: string[] = []
  context.signer = {
    ...signer,
    async signFill(request) {
      const [parent, child] = await signer.signFill(request)
      const tx = decodeTransaction(child!.hex)
      const { witness } = tx.inputs.find((input) => input.txid === parent!.txid)!
      const signatureIndex = witness.findIndex((each) => each.length === 64)
      witness[signatureIndex] = witness[signatureIndex]!.map((byte, n) => (n === 40 ? byte ^ 1 : byte))
      faulty.push(parent!.txid, child!.txid)
      return [parent!, { ...child!, hex: hexOfTransaction(tx) }]
    },
  }
  try {
    await expect(sellInto(first)).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/the script of input 1 rejects its witness/),
    })
  } finally {
    context.signer = signer
  }
  expect(faulty).toHaveLength(2)
  expect(sent.filter((txid) => faulty.includes(txid))).toEqual([])
  expect(await market.regtest.call('getrawmempool')).toEqual([])
  const { settlementTxid } = await sellInto(second)
  expect(sent).toContain(settlementTxid)
  expect(await market.regtest.call('getrawmempool')).toContain(settlementTxid)
  await market.mine()
  expect(await market.coinOf(second)).toMatchObject({ script: bidder.wallet.ordinalsScript })
  expect(await listImbalances(market.sql)).toEqual([])
})
