import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { signSchnorr, tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import { spentOutputsOf, unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'

/** Appends `extra` bytes to a signature, which makes the witness invalid. */
export function withJunk<S extends { psbtBase64: string }>(
  step: S,
  { index, key, extra }: { index: number; key: Uint8Array; extra: number },
): S {
  const psbt = RawPSBTV0.decode(bytesOfBase64(step.psbtBase64)!)
  const tx = unsignedTransactionOf(step.psbtBase64)
  const hash = taprootSighash(tx, index, spentOutputsOf(step.psbtBase64), 0)
  const bytes = new Uint8Array(65 + extra)
  bytes.set(signSchnorr(hash, tweakPrivateKey(key)))
  const input = psbt.inputs[index]!
  delete input.tapKeySig
  input.finalScriptWitness = [bytes]
  return { ...step, psbtBase64: base64OfBytes(RawPSBTV0.encode(psbt)) }
}
