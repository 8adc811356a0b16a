import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { decodeTransaction, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { TestMarket } from './market.ts'

/** Reads a transaction and its spent outputs from the node. */
export async function onChain(
  { regtest }: TestMarket,
  txid: string,
): Promise<{ tx: Tx; spent: TxOutput[]; confirmations: number; feeSats: number }> {
  const raw = async (id: string) =>
    regtest.call<{ hex: string; confirmations?: number }>('getrawtransaction', id, true)
  const { hex, confirmations = 0 } = await raw(txid)
  const tx = decodeTransaction(hex)
  const spent = []
  for (const input of tx.inputs)
    spent.push(decodeTransaction((await raw(input.txid)).hex).outputs[input.vout]!)
  const feeSats =
    sumSats(spent.map((each) => each.valueSats)) - sumSats(tx.outputs.map((output) => output.valueSats))
  return { tx, spent, confirmations, feeSats }
}

/** Returns the fees, in sats, of transactions in the last block that spend only the market's coins. */
export async function spentOnItself(market: TestMarket): Promise<number> {
  const { coinScript } = market.server.context.market
  const tip = await market.regtest.call<string>('getbestblockhash')
  const { tx: txids } = await market.regtest.call<{ tx: string[] }>('getblock', tip)
  let sats = 0
  for (const txid of txids.slice(1)) {
    const { spent, feeSats } = await onChain(market, txid)
    if (spent.every((output) => equalBytes(output.script, coinScript))) sats += feeSats
  }
  return sats
}

export async function balanceOf({ regtest }: TestMarket, script: Uint8Array): Promise<number> {
  return sumSats((await regtest.coinsOf(script)).map((coin) => coin.valueSats))
}
