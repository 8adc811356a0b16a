import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { decodeTransaction, hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { expect } from 'vitest'
import { keyHolder, type TestMarket, type TestTrader, until } from '../support/market.ts'

export interface Scene {
  market: TestMarket
  attacker: TestTrader
  keys: { ordinals: Uint8Array; payment: Uint8Array }
}

export async function sceneAt(market: TestMarket): Promise<Scene> {
  const { trader: attacker, keys } = await keyHolder(market)
  return { market, attacker, keys }
}

export const mempoolOf = ({ market }: Scene) => market.regtest.call<string[]>('getrawmempool')

const transactionOf = async ({ market }: Scene, txid: string): Promise<Tx> =>
  decodeTransaction(await market.regtest.call<string>('getrawtransaction', txid))

/** Returns the attacker's payment coin in a settlement. Throws if there is none. */
export async function spentBy(scene: Scene, settlementTxid: string): Promise<Coin> {
  const { inputs } = await transactionOf(scene, settlementTxid)
  for (const { txid, vout } of inputs) {
    const output = (await transactionOf(scene, txid)).outputs[vout]!
    if (equalBytes(output.script, scene.attacker.wallet.paymentScript)) return { txid, vout, ...output }
  }
  throw new Error('the settlement spends no coin of the attacker')
}

/** Double-spends a coin of the attacker at the lowest rate that the node accepts. Returns the fee in sats. */
export async function payItself(scene: Scene, coin: Coin): Promise<{ tx: Tx; feeSats: number }> {
  const { market, attacker, keys } = scene
  const script = attacker.wallet.paymentScript
  for (let feeRateSatVb = 2; feeRateSatVb < 400; feeRateSatVb++) {
    const tx = buildPayment([coin], [{ valueSats: 10_000, script }], {
      privateKey: keys.payment,
      feeRateSatVb,
    })
    const [verdict] = await market.regtest.call<{ allowed: boolean }[]>('testmempoolaccept', [
      hexOfTransaction(tx),
    ])
    if (!verdict!.allowed) continue
    await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
    return { tx, feeSats: coin.valueSats - tx.outputs.reduce((sum, each) => sum + each.valueSats, 0) }
  }
  throw new Error('the node accepted no replacement of the transaction that spends the coin')
}

export async function settle(scene: Scene): Promise<void> {
  await until('an empty mempool', async () => {
    await scene.market.mine()
    return (await mempoolOf(scene)).length === 0
  })
}

/** Returns true if an inscription's coin has this script, according to the node. */
export async function isAt({ market }: Scene, id: string, script: Uint8Array): Promise<boolean> {
  const out = await market.server.context.node.txOut(await market.coinOf(id))
  return out !== null && equalBytes(out.script, script)
}

export async function assertBalanced({ market }: Scene): Promise<void> {
  expect(await listImbalances(market.sql)).toEqual([])
}

export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const refused = await call.then(
    () => null,
    (error: { status?: number; message: string }) => error,
  )
  if (refused === null) throw new Error('The attack succeeded: the request was not rejected.')
  return `${refused.status ?? 'before the request'}: ${refused.message}`
}
