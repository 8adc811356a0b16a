import { concatBytes } from '@ordbook/bitcoin/bytes.ts'
import { signSchnorr, tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { SEQUENCE_RBF, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'

export interface KeyedCoin {
  coin: Coin
  key: Uint8Array
  /** Signs only its own output (SINGLE|ANYONECANPAY), like sellers of other markets. */
  alone?: boolean
}

/** Builds a transaction of taproot coins, signed by key path. */
export function spendTogether(inputs: readonly KeyedCoin[], outputs: TxOutput[]): Tx {
  const tx: Tx = {
    version: 2,
    locktime: 0,
    inputs: inputs.map(({ coin: { txid, vout } }) => ({
      txid,
      vout,
      scriptSig: new Uint8Array(),
      sequence: SEQUENCE_RBF,
      witness: [],
    })),
    outputs,
  }
  for (const [index, { key, alone }] of inputs.entries()) {
    const sighash = alone ? SIGHASH.SINGLE_ANYONECANPAY : SIGHASH.DEFAULT
    const hash = taprootSighash(
      tx,
      index,
      inputs.map(({ coin }) => coin),
      sighash,
    )
    const signature = signSchnorr(hash, tweakPrivateKey(key))
    tx.inputs[index]!.witness = [alone ? concatBytes(signature, Uint8Array.of(sighash)) : signature]
  }
  return tx
}
