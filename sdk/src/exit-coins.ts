import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { CheckFailed } from './errors.ts'
import type { ExitWish } from './exit-escrow.ts'
import { nameOf } from './verify/facts.ts'
import type { OwnCoin, Owner } from './verify/owner.ts'

/** Transactions by txid, from any source: a txid is the hash of its transaction. */
type Made = ReadonlyMap<string, Tx>

function outputOf(made: Made, at: Outpoint): TxOutput {
  const tx = made.get(at.txid)
  if (!tx) throw new CheckFailed(`the transaction ${at.txid} is not given`)
  const output = tx.outputs[at.vout]
  if (!output)
    throw new CheckFailed(`${formatOutpoint(at)} does not exist: the transaction has fewer outputs`)
  return output
}

/** The escrow coins at outpoints, with the form of each. `marketKey` is M, x-only. Throws CheckFailed if a coin is not such an escrow. */
export function escrowsAt(
  owner: Owner,
  marketKey: Uint8Array,
  outpoints: readonly Outpoint[],
  made: Made,
): ExitWish['escrows'][number][] {
  const seller = keySpendOf(owner.ordinalsScript, hexToBytes(owner.ordinalsPublicKey))
  return outpoints.map((at) => {
    const { valueSats, script } = outputOf(made, at)
    const form = (['wallet', 'published'] as const).find((each) =>
      equalBytes(buildPassthrough(seller, marketKey, each).script, script),
    )
    if (!form)
      throw new CheckFailed(
        `${formatOutpoint(at)}, at ${nameOf(owner, script)}, is not an escrow of ${owner.ordinalsAddress} and this market: compare the outpoint, the ordinals address and the market's key`,
      )
    return { txid: at.txid, vout: at.vout, valueSats, form, cosignKey: bytesToHex(marketKey) }
  })
}

/** The coins of the payment address at outpoints. Throws CheckFailed for another coin. */
export function paymentsAt(owner: Owner, outpoints: readonly Outpoint[], made: Made): OwnCoin[] {
  return outpoints.map((at) => {
    const { valueSats, script } = outputOf(made, at)
    if (!equalBytes(script, owner.paymentScript))
      throw new CheckFailed(`${formatOutpoint(at)} is not of the payment address ${owner.paymentAddress}`)
    return { txid: at.txid, vout: at.vout, valueSats }
  })
}
