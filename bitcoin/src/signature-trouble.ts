import { equalBytes } from './bytes.ts'
import { verifyEcdsa, verifySchnorr } from './keys.ts'
import { type DecodedPsbt, decodePsbt, spentOutputsOf, unsignedTransactionOf } from './psbt.ts'
import { isTaprootSighash, p2wpkhScriptCode, SIGHASH, segwitSighash, taprootSighash } from './sighash.ts'
import { faultOf } from './trade/executable.ts'
import { encodeTransaction, type Tx, type TxOutput } from './transaction.ts'

/** Describes the first invalid signature in a signed PSBT, or returns null. Ignores finalized inputs. */
export function signatureTrouble(signed: string, sent: string, indexes: readonly number[]): string | null {
  const [signedTx, expected] = [unsignedTransactionOf(signed), unsignedTransactionOf(sent)]
  if (!equalBytes(encodeTransaction(signedTx), encodeTransaction(expected)))
    return 'the signed transaction differs from the one to sign'
  const { inputs } = decodePsbt(signed)
  const spent = spentOutputsOf(sent)
  for (const index of indexes) {
    const input = inputs[index]!
    if (input.finalScriptWitness || input.finalScriptSig) continue
    const signature = signatureIn(input)
    if (!signature) return `input ${index} is not signed`
    if (verifies(signature, { tx: expected, index, spent })) continue
    return `the signature of input ${index} is not valid${faultOf(signature.bytes)}`
  }
  return null
}

interface Signature {
  key: Uint8Array | null
  bytes: Uint8Array
  /** Undefined for the key path, null for segwit version 0. */
  leafHash: Uint8Array | undefined | null
}

function signatureIn(input: DecodedPsbt['inputs'][number]): Signature | null {
  const byLeaf = input.tapScriptSig?.[0]
  if (byLeaf) return { key: byLeaf[0].pubKey, bytes: byLeaf[1], leafHash: byLeaf[0].leafHash }
  if (input.tapKeySig) return { key: null, bytes: input.tapKeySig, leafHash: undefined }
  const byKey = input.partialSig?.[0]
  return byKey ? { key: byKey[0], bytes: byKey[1], leafHash: null } : null
}

function verifies(
  { key, bytes, leafHash }: Signature,
  { tx, index, spent }: { tx: Tx; index: number; spent: TxOutput[] },
): boolean {
  const { script, valueSats } = spent[index]!
  if (leafHash === null) {
    const hash = segwitSighash(tx, index, p2wpkhScriptCode(key!), valueSats, bytes.at(-1)!)
    return verifyEcdsa(bytes.slice(0, -1), hash, key!)
  }
  const type = bytes.length === 64 ? SIGHASH.DEFAULT : bytes[64]!
  const isSingle = (type & 3) === SIGHASH.SINGLE
  if (!isTaprootSighash(type) || (isSingle && !tx.outputs[index])) return false
  const hash = taprootSighash(tx, index, spent, type, leafHash ? { leafHash } : {})
  return verifySchnorr(bytes.slice(0, 64), hash, key ?? script.slice(2))
}
