import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { decodeTransaction, hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { expect } from 'vitest'
import { keyHolder, type TestMarket, type TestTrader, until } from '../support/market.ts'

/** An attacker with keys of its own at a market, and the node that both use. */
export interface Scene {
  market: TestMarket
  attacker: TestTrader
  keys: { ordinals: Uint8Array; payment: Uint8Array }
}

/** A fresh attacker, who pays by P2TR. */
export async function sceneAt(market: TestMarket): Promise<Scene> {
  const { trader: attacker, keys } = await keyHolder(market)
  return { market, attacker, keys }
}

export const mempoolOf = ({ market }: Scene) => market.regtest.call<string[]>('getrawmempool')

/** A transaction of the node's mempool or chain. */
const transactionOf = async ({ market }: Scene, txid: string): Promise<Tx> =>
  decodeTransaction(await market.regtest.call<string>('getrawtransaction', txid))

/** The attacker's coin that a settlement spends. */
export async function spentBy(scene: Scene, settlementTxid: string): Promise<Coin> {
  const { inputs } = await transactionOf(scene, settlementTxid)
  for (const { txid, vout } of inputs) {
    const output = (await transactionOf(scene, txid)).outputs[vout]!
    if (equalBytes(output.script, scene.attacker.wallet.paymentScript)) return { txid, vout, ...output }
  }
  throw new Error('the settlement spends nothing of the attacker')
}

/** Pays a coin of the attacker to itself at the lowest rate that the node takes in place of what spends it. Gives the fee. */
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
  throw new Error('nothing replaces what spends the coin')
}

/** Mines until the mempool is empty and the market's own transactions are through. */
export async function settle(scene: Scene): Promise<void> {
  await until('an empty mempool', async () => {
    await scene.market.mine()
    return (await mempoolOf(scene)).length === 0
  })
}

/** Whether an inscription's coin is at a script, by the node. */
export async function isAt({ market }: Scene, id: string, script: Uint8Array): Promise<boolean> {
  const out = await market.server.context.node.txOut(await market.coinOf(id))
  return out !== null && equalBytes(out.script, script)
}

/** The market's ledger says of its coins what the chain says. */
export async function assertBalanced({ market }: Scene): Promise<void> {
  expect(await listImbalances(market.sql)).toEqual([])
}

/** The status and message of a refused call. Throws if the call succeeds. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const refused = await call.then(
    () => null,
    (error: { status?: number; message: string }) => error,
  )
  if (refused === null) throw new Error('the attack succeeded: it was not refused')
  return `${refused.status ?? 'before it is sent'}: ${refused.message}`
}
