import { kindOfScript, p2shScript, p2wpkhScript } from './address.ts'
import { concatBytes, equalBytes } from './bytes.ts'
import { taggedHash, taprootOutputKey, verifyEcdsa, verifySchnorr } from './keys.ts'
import { isTaprootSighash, p2wpkhScriptCode, segwitSighash, tapLeafHash, taprootSighash } from './sighash.ts'
import { ScriptError, Tapscript } from './tapscript.ts'
import type { Tx, TxOutput } from './transaction.ts'

/**
 * Verifies input scripts: P2WPKH, P2SH-P2WPKH and P2TR (BIP-141, BIP-143, BIP-341, BIP-342). Supports only the opcodes of ordinals and our
 * layouts. The server verifies stored signatures with it, and tests compare it with a real node.
 */
export interface VerifyOptions {
  /** X-only keys whose signatures are missing. Any 64 bytes are valid for them. */
  awaited?: readonly Uint8Array[]
}

/** Verifies that an input can spend its prevout. Throws ScriptError with Core's message. */
export function verifyInput(
  tx: Tx,
  index: number,
  prevouts: readonly TxOutput[],
  options: VerifyOptions = {},
): void {
  const { script, valueSats } = prevouts[index]!
  const { witness, scriptSig } = tx.inputs[index]!
  const kind = kindOfScript(script)
  if (kind === 'p2tr') {
    if (scriptSig.length > 0) throw new ScriptError('Witness requires empty scriptSig')
    verifyTaproot(tx, index, prevouts, { outputKey: script.slice(2), witness, options })
    return
  }
  if (kind === 'p2wpkh' && scriptSig.length > 0) throw new ScriptError('Witness requires empty scriptSig')
  if (kind !== 'p2wpkh' && kind !== 'p2sh')
    throw new ScriptError(`only P2WPKH, P2SH-P2WPKH and P2TR are verified, not ${kind}`)
  const [signature, publicKey] = witness
  if (witness.length !== 2 || !signature || publicKey?.length !== 33)
    throw new ScriptError(
      witness.length === 0 ? 'Witness program was passed an empty witness' : 'Witness program hash mismatch',
    )
  const keyScript = p2wpkhScript(publicKey)
  if (kind === 'p2sh') {
    if (!equalBytes(scriptSig, concatBytes(Uint8Array.of(keyScript.length), keyScript)))
      throw new ScriptError(
        'Script evaluated without error but finished with a false/empty top stack element',
      )
    if (!equalBytes(p2shScript(keyScript), script))
      throw new ScriptError(
        'Script evaluated without error but finished with a false/empty top stack element',
      )
  } else if (!equalBytes(keyScript, script))
    throw new ScriptError('Script failed an OP_EQUALVERIFY operation')
  const type = signature.at(-1) ?? 0
  if (![1, 2, 3, 0x81, 0x82, 0x83].includes(type))
    throw new ScriptError('Signature hash type missing or not understood')
  const hash = segwitSighash(tx, index, p2wpkhScriptCode(publicKey), valueSats, type)
  if (!verifyEcdsa(signature.slice(0, -1), hash, publicKey))
    throw new ScriptError('Signature must be zero for failed CHECK(MULTI)SIG operation')
}

function verifyTaproot(
  tx: Tx,
  index: number,
  prevouts: readonly TxOutput[],
  spend: { outputKey: Uint8Array; witness: readonly Uint8Array[]; options: VerifyOptions },
): void {
  const { outputKey, witness, options } = spend
  if (witness.length === 0) throw new ScriptError('Witness program was passed an empty witness')
  if (witness.length >= 2 && witness.at(-1)![0] === 0x50) throw new ScriptError('annex is not standard')
  if (witness.length === 1) {
    const hash = (type: number) => taprootSighash(tx, index, prevouts, type)
    if (!checkSchnorr(witness[0]!, outputKey, hash)) throw new ScriptError('Invalid Schnorr signature')
    return
  }
  const control = witness.at(-1)!
  const script = witness.at(-2)!
  if (control.length < 33 || (control.length - 33) % 32 !== 0)
    throw new ScriptError('Invalid Taproot control block size')
  let node = tapLeafHash(script, control[0]! & 0xfe)
  for (let at = 33; at < control.length; at += 32) {
    const branch = control.subarray(at, at + 32)
    node = taggedHash('TapBranch', ...(lessThan(node, branch) ? [node, branch] : [branch, node]))
  }
  const tweaked = taprootOutputKey(control.slice(1, 33), node)
  if (!equalBytes(tweaked.outputKey, outputKey) || tweaked.odd !== ((control[0]! & 1) === 1))
    throw new ScriptError('Witness program hash mismatch')
  if ((control[0]! & 0xfe) !== 0xc0) throw new ScriptError('Taproot version reserved for soft-fork upgrades')
  const leafHash = tapLeafHash(script)
  const hash = (type: number) => taprootSighash(tx, index, prevouts, type, { leafHash })
  const checkSig = (signature: Uint8Array, key: Uint8Array) =>
    options.awaited?.some((awaitedKey) => equalBytes(awaitedKey, key))
      ? signature.length === 64
      : checkSchnorr(signature, key, hash)
  new Tapscript(tx, index, checkSig).run(script, witness.slice(0, -2))
}

/** Verifies a Schnorr signature of 64 or 65 bytes (BIP-341). Throws if malformed. */
function checkSchnorr(signature: Uint8Array, key: Uint8Array, hash: (type: number) => Uint8Array): boolean {
  if (signature.length !== 64 && signature.length !== 65)
    throw new ScriptError('Invalid Schnorr signature size')
  const type = signature.length === 65 ? signature[64]! : 0
  if ((signature.length === 65 && type === 0) || !isTaprootSighash(type))
    throw new ScriptError('Invalid Schnorr signature hash type')
  try {
    return verifySchnorr(signature.slice(0, 64), hash(type), key)
  } catch (error) {
    if (error instanceof RangeError) throw new ScriptError('Invalid Schnorr signature hash type')
    throw error
  }
}

function lessThan(a: Uint8Array, b: Uint8Array): boolean {
  for (const [i, byte] of a.entries()) if (byte !== b[i]) return byte < b[i]!
  return false
}
