import { keySpendOf } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { CheckFailed } from './errors.ts'
import type { ExitTerms } from './exit-escrow.ts'
import { nameOf } from './verify/facts.ts'
import type { OwnCoin, Owner } from './verify/owner.ts'

/** Transactions by txid. Their source can be untrusted, because a txid is a hash of the transaction. */
type Transactions = ReadonlyMap<string, Tx>

function outputOf(transactions: Transactions, at: Outpoint): TxOutput {
  const tx = transactions.get(at.txid)
  if (!tx) throw new CheckFailed(`transaction ${at.txid} is missing`)
  const output = tx.outputs[at.vout]
  if (!output)
    throw new CheckFailed(`${formatOutpoint(at)} does not exist: the transaction has fewer outputs`)
  return output
}

/** Returns the escrow coins at outpoints. `marketKey` is x-only. Throws CheckFailed if a coin is not an escrow of the owner. */
export function escrowsAt(
  owner: Owner,
  marketKey: Uint8Array,
  outpoints: readonly Outpoint[],
  transactions: Transactions,
): ExitTerms['escrows'][number][] {
  const seller = keySpendOf(owner.ordinalsScript, hexToBytes(owner.ordinalsPublicKey))
  return outpoints.map((at) => {
    const { valueSats, script } = outputOf(transactions, at)
    const form = (['wallet', 'published'] as const).find((candidate) =>
      equalBytes(buildPassthrough(seller, marketKey, candidate).script, script),
    )
    if (!form)
      throw new CheckFailed(
        `${formatOutpoint(at)}, at ${nameOf(owner, script)}, is not an escrow of ${owner.ordinalsAddress} and this market: check the outpoint, the ordinals address and the market's key`,
      )
    return { txid: at.txid, vout: at.vout, valueSats, form, cosignKey: bytesToHex(marketKey) }
  })
}

/** Returns the coins at outpoints. Throws CheckFailed if a coin is not at the payment address. */
export function paymentsAt(
  owner: Owner,
  outpoints: readonly Outpoint[],
  transactions: Transactions,
): OwnCoin[] {
  return outpoints.map((at) => {
    const { valueSats, script } = outputOf(transactions, at)
    if (!equalBytes(script, owner.paymentScript))
      throw new CheckFailed(`${formatOutpoint(at)} is not at the payment address ${owner.paymentAddress}`)
    return { txid: at.txid, vout: at.vout, valueSats }
  })
}
