import { decodeTransaction, hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { bid, fill } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { setUpMarket } from '../support/market.ts'
import { coinsOf, selling } from '../support/offers.ts'

/**
 * A fill's parent pays no fee, so testmempoolaccept stops at the parent and does not check the child. Only our own interpreter checks the
 * scripts of such a package before the broadcast.
 */
const market = setUpMarket()

it('sends no package with an invalid script, even if its parents fail only by their fee', async () => {
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
    const made = await bid(bidder, slug, { target: { kind: 'all' }, priceSats: 20_000, coins })
    return fill(seller, slug, made.offers[0]!.offerId, await selling(market, inscriptionId, 20_000, 250))
  }
  // A faulty signer: one byte of its signature is wrong, which no submit check can see.
  const faulty: string[] = []
  context.signer = {
    ...signer,
    async signFill(request) {
      const [parent, child] = await signer.signFill(request)
      const tx = decodeTransaction(child!.hex)
      const { witness } = tx.inputs.find((input) => input.txid === parent!.txid)!
      const own = witness.findIndex((each) => each.length === 64)
      witness[own] = witness[own]!.map((byte, n) => (n === 40 ? byte ^ 1 : byte))
      faulty.push(parent!.txid, child!.txid)
      return [parent!, { ...child!, hex: hexOfTransaction(tx) }]
    },
  }
  try {
    await expect(sellInto(first)).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/the script of input 1 refuses its witness/),
    })
  } finally {
    context.signer = signer
  }
  expect(faulty).toHaveLength(2)
  expect(sent.filter((txid) => faulty.includes(txid))).toEqual([])
  expect(await market.regtest.call('getrawmempool')).toEqual([])
  // With the correct signature, the same package is broadcast and accepted.
  const { settlementTxid } = await sellInto(second)
  expect(sent).toContain(settlementTxid)
  expect(await market.regtest.call('getrawmempool')).toContain(settlementTxid)
  await market.mine()
  expect(await market.coinOf(second)).toMatchObject({ script: bidder.wallet.ordinalsScript })
  expect(await listImbalances(market.sql)).toEqual([])
})
