import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { expect, it } from 'vitest'
import { balanceOf, onChain } from '../support/chain.ts'
import { freshWallet, setUpMarket } from '../support/market.ts'
import { runProgram } from './program.ts'

/** Trades with clients that scripts/suites/clients generates from the served document. */
const folder = process.env.ORDBOOK_TEST_CLIENTS!

// Three decimals test that fee rates are not rounded.
const market = setUpMarket({ FEE_RATE_MIN_SAT_VB: '3.137' })

it.each([
  ['TypeScript', process.execPath, [join(folder, 'ts/trade.ts')]],
  ['Python', process.env.ORDBOOK_TEST_PYTHON!, [join(folder, 'python/trade.py')]],
  ['Go', join(folder, 'go/trade'), []],
])('trades with the generated %s client', async (_, command, args) => {
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

  // Each inscription must be alone in a coin of the confirmed settlement.
  expect(settlements.map((settlement) => settlement.inscriptionId)).toEqual(ids)
  for (const { inscriptionId, settlementTxid } of settlements) {
    const { tx, confirmations } = await onChain(market, settlementTxid)
    expect(confirmations).toBeGreaterThan(0)
    const coin = await market.coinOf(inscriptionId)
    expect(coin).toMatchObject({ txid: settlementTxid, valueSats: 10_000 })
    expect(equalBytes(tx.outputs[coin.vout]!.script, buyer.ordinalsScript)).toBe(true)
  }
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
