import { Transaction } from '@scure/btc-signer'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { keySpendOf } from './address.ts'
import { virtualTransactions } from './bip322.ts'
import { base64OfBytes } from './bytes.ts'
import { encodeTransaction } from './transaction.ts'

/**
 * Builds a BIP-322 challenge as a base64 PSBT of `to_sign`, for signers that only sign transactions. It spends a nonexistent output, so it
 * cannot be broadcast. The message is in PSBT_GLOBAL_GENERIC_SIGNED_MESSAGE (0x09). Throws `key-mismatch`.
 */
export function messagePsbtOf(script: Uint8Array, message: string, publicKey: Uint8Array): string {
  const { kind, internalKey, redeemScript } = keySpendOf(script, publicKey)
  const { toSpend, toSign } = virtualTransactions(message, script)
  const psbt = new Transaction({ version: 0, allowUnknownVersion: true, allowUnknownOutputs: true })
  psbt.addInput({
    txid: toSign.inputs[0]!.txid,
    index: 0,
    sequence: 0,
    witnessUtxo: { amount: 0n, script },
    // Omit the sighash, because Bitcoin Core rejects a PSBT whose sighash differs from the caller's.
    ...(kind === 'p2tr' ? {} : { nonWitnessUtxo: encodeTransaction(toSpend, 'without-witness') }),
    ...(internalKey ? { tapInternalKey: internalKey } : {}),
    ...(redeemScript ? { redeemScript } : {}),
  })
  psbt.addOutput({ amount: 0n, script: toSign.outputs[0]!.script })
  const raw = RawPSBTV0.decode(psbt.toPSBT(0))
  raw.global.genericSignedMessage = new TextEncoder().encode(message)
  return base64OfBytes(RawPSBTV0.encode(raw))
}
