import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { expect, it } from 'vitest'
import { balanceOf, onChain } from '../support/chain.ts'
import { freshWallet, setUpMarket } from '../support/market.ts'
import { runProgram } from './program.ts'

/**
 * Clients that generators print from the served document trade with nothing written by hand between them and the API: they list, buy,
 * make an offer that is accepted, and a bid that is filled. scripts/suites/clients makes them, in this folder.
 */
const folder = process.env.ORDBOOK_TEST_CLIENTS!

// Three decimals of a fee rate come back as they went out.
const market = setUpMarket({ FEE_RATE_MIN_SAT_VB: '3.137' })

it.each([
  ['TypeScript', process.execPath, [join(folder, 'ts/trade.ts')]],
  ['Python', process.env.ORDBOOK_TEST_PYTHON!, [join(folder, 'python/trade.py')]],
  ['Go', join(folder, 'go/trade'), []],
])('lists, buys, offers and fills with the client generated for %s', async (_, command, args) => {
  const seller = freshWallet('p2wpkh')
  const buyer = freshWallet('p2tr')
  for (const { paymentScript: script } of [seller, buyer])
    await market.regtest.pay([
      { valueSats: 200_000, script },
      { valueSats: 200_000, script },
    ])
  const { slug, ids } = await market.collection(seller, 3)
  const before = await balancesOf()

  const settlements = await runProgram(market, command, args, { slug, ids, seller, buyer })
  await market.mine()

  // Each inscription has arrived, alone in its coin, with one confirmation or more, by the transaction that was answered.
  expect(settlements.map((each) => each.inscriptionId)).toEqual(ids)
  for (const { inscriptionId, settlementTxid } of settlements) {
    const { tx, confirmations } = await onChain(market, settlementTxid)
    expect(confirmations).toBeGreaterThan(0)
    const coin = await market.coinOf(inscriptionId)
    expect(coin).toMatchObject({ txid: settlementTxid, valueSats: 10_000 })
    expect(equalBytes(tx.outputs[coin.vout]!.script, buyer.ordinalsScript)).toBe(true)
  }
  // Both sides have to the sat what the preflights said.
  const after = await balancesOf()
  const sumOf = (side: 'buyerSats' | 'sellerSats') => settlements.reduce((sum, each) => sum + each[side], 0)
  expect(after).toEqual({
    buyer: before.buyer + sumOf('buyerSats'),
    seller: before.seller + sumOf('sellerSats'),
  })

  async function balancesOf() {
    return {
      buyer: await balanceOf(market, buyer.paymentScript),
      seller: await balanceOf(market, seller.paymentScript),
    }
  }
})
