import { bytesToHex, compactSize, concatBytes, joinBytes, littleEndian, varBytes } from './bytes.ts'
import { hash160, sha256, sha256d, taggedHash } from './keys.ts'
import { encodeOutpoint, encodeOutput, type Tx, type TxOutput } from './transaction.ts'

/** Sighash types (DEFAULT: BIP-341). */
export const SIGHASH = {
  DEFAULT: 0,
  ALL: 1,
  NONE: 2,
  SINGLE: 3,
  ALL_ANYONECANPAY: 129,
  SINGLE_ANYONECANPAY: 131,
}

/** Returns true for valid taproot sighash types (BIP-341). */
export function isTaprootSighash(type: number): boolean {
  return type <= 3 || (type >= 0x81 && type <= 0x83)
}

/** Computes a tapleaf hash (BIP-341). */
export function tapLeafHash(script: Uint8Array, version = 0xc0): Uint8Array {
  return taggedHash('TapLeaf', Uint8Array.of(version), varBytes(script))
}

/** Computes a tapbranch hash of two nodes in any order (BIP-341). */
export function tapBranchHash(one: Uint8Array, other: Uint8Array): Uint8Array {
  const ordered = bytesToHex(one) < bytesToHex(other) ? [one, other] : [other, one]
  return taggedHash('TapBranch', ...ordered)
}

/**
 * Computes a taproot signature hash (BIP-341). Set `leafHash` for the script path (BIP-342). Throws RangeError for an invalid type, and for
 * SINGLE without a matching output.
 */
export function taprootSighash(
  tx: Tx,
  index: number,
  prevouts: readonly TxOutput[],
  type: number,
  options: { leafHash?: Uint8Array; codeSeparator?: number; annex?: Uint8Array } = {},
): Uint8Array {
  if (!isTaprootSighash(type)) throw new RangeError(`sighash type ${type} is not a taproot type`)
  const anyoneCanPay = (type & 0x80) !== 0
  const outputs = type === SIGHASH.DEFAULT ? SIGHASH.ALL : type & 3
  const input = tx.inputs[index]!
  const parts = [Uint8Array.of(0, type), littleEndian(tx.version >>> 0, 4), littleEndian(tx.locktime, 4)]
  if (!anyoneCanPay)
    parts.push(
      sha256(joinBytes(tx.inputs.map(encodeOutpoint))),
      sha256(joinBytes(prevouts.map((output) => littleEndian(output.valueSats, 8)))),
      sha256(joinBytes(prevouts.map((output) => varBytes(output.script)))),
      sha256(joinBytes(tx.inputs.map((each) => littleEndian(each.sequence, 4)))),
    )
  if (outputs === SIGHASH.ALL) parts.push(sha256(joinBytes(tx.outputs.map(encodeOutput))))
  parts.push(Uint8Array.of((options.leafHash ? 2 : 0) + (options.annex ? 1 : 0)))
  if (anyoneCanPay)
    parts.push(encodeOutpoint(input), encodeOutput(prevouts[index]!), littleEndian(input.sequence, 4))
  else parts.push(littleEndian(index, 4))
  if (options.annex) parts.push(sha256(varBytes(options.annex)))
  if (outputs === SIGHASH.SINGLE) {
    const output = tx.outputs[index]
    if (!output) throw new RangeError('sighash SINGLE without an output of the same index')
    parts.push(sha256(encodeOutput(output)))
  }
  if (options.leafHash)
    parts.push(options.leafHash, Uint8Array.of(0), littleEndian(options.codeSeparator ?? 0xffffffff, 4))
  return taggedHash('TapSighash', ...parts)
}

/** Computes a segwit version 0 signature hash (BIP-143). `scriptCode` has no length prefix. */
export function segwitSighash(
  tx: Tx,
  index: number,
  scriptCode: Uint8Array,
  valueSats: number,
  type: number,
): Uint8Array {
  const anyoneCanPay = (type & 0x80) !== 0
  const base = type & 0x1f
  const single = base === SIGHASH.SINGLE
  const none = base === SIGHASH.NONE
  const zeros = new Uint8Array(32)
  const input = tx.inputs[index]!
  const output = tx.outputs[index]
  const hashOutputs =
    !single && !none
      ? sha256d(joinBytes(tx.outputs.map(encodeOutput)))
      : single && output
        ? sha256d(encodeOutput(output))
        : zeros
  return sha256d(
    concatBytes(
      littleEndian(tx.version >>> 0, 4),
      anyoneCanPay ? zeros : sha256d(joinBytes(tx.inputs.map(encodeOutpoint))),
      anyoneCanPay || single || none
        ? zeros
        : sha256d(joinBytes(tx.inputs.map((each) => littleEndian(each.sequence, 4)))),
      encodeOutpoint(input),
      compactSize(scriptCode.length),
      scriptCode,
      littleEndian(valueSats, 8),
      littleEndian(input.sequence, 4),
      hashOutputs,
      littleEndian(tx.locktime, 4),
      littleEndian(type, 4),
    ),
  )
}

/** Returns the script code of a P2WPKH input (BIP-143). */
export function p2wpkhScriptCode(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.of(0x76, 0xa9, 0x14, ...hash160(publicKey), 0x88, 0xac)
}
