import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from './bytes.ts'

export { sha256 }

export const sha256d = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))

export const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(sha256(bytes))

const tags = new Map<string, Uint8Array>()

/** Computes a BIP-340 tagged hash. */
export function taggedHash(tag: string, ...parts: Uint8Array[]): Uint8Array {
  let prefix = tags.get(tag)
  if (!prefix) {
    const hash = sha256(new TextEncoder().encode(tag))
    prefix = concatBytes(hash, hash)
    tags.set(tag, prefix)
  }
  return sha256(concatBytes(prefix, ...parts))
}

const Point = secp256k1.Point
const ORDER = Point.Fn.ORDER

function bigintOf(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return value
}

function bytes32(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  for (let i = 31; i >= 0; i--, value >>= 8n) bytes[i] = Number(value & 0xffn)
  return bytes
}

export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => secp256k1.getPublicKey(privateKey, true)

export const xOnlyKeyOf = (privateKey: Uint8Array): Uint8Array => schnorr.getPublicKey(privateKey)

export const toXOnly = (key: Uint8Array): Uint8Array => (key.length === 33 ? key.slice(1) : key)

/** Maximum cached output keys. Computing one takes a millisecond. */
const MAX_OUTPUT_KEYS = 2000
const outputKeys = new Map<string, { outputKey: Uint8Array; odd: boolean }>()

/** Computes a taproot output key and its parity (BIP-341). */
export function taprootOutputKey(
  internalKey: Uint8Array,
  merkleRoot: Uint8Array = new Uint8Array(),
): { outputKey: Uint8Array; odd: boolean } {
  const name = bytesToHex(concatBytes(internalKey, merkleRoot))
  const known = outputKeys.get(name)
  // Copy, because callers can modify the result.
  if (known) return { outputKey: known.outputKey.slice(), odd: known.odd }
  const tweak = bigintOf(taggedHash('TapTweak', internalKey, merkleRoot))
  const point = schnorr.utils.lift_x(bigintOf(internalKey)).add(Point.BASE.multiply(tweak % ORDER))
  const affine = point.toAffine()
  const result = { outputKey: bytes32(affine.x), odd: (affine.y & 1n) === 1n }
  if (outputKeys.size >= MAX_OUTPUT_KEYS) outputKeys.delete(outputKeys.keys().next().value!)
  outputKeys.set(name, result)
  return { outputKey: result.outputKey.slice(), odd: result.odd }
}

/** Tweaks a private key like `taprootOutputKey` (BIP-341). */
export function tweakPrivateKey(
  privateKey: Uint8Array,
  merkleRoot: Uint8Array = new Uint8Array(),
): Uint8Array {
  const odd = publicKeyOf(privateKey)[0] === 3
  const even = odd ? ORDER - bigintOf(privateKey) : bigintOf(privateKey)
  const tweak = bigintOf(taggedHash('TapTweak', xOnlyKeyOf(privateKey), merkleRoot))
  return bytes32((even + tweak) % ORDER)
}

/** Signs with BIP-340. Deterministic, because it uses no auxiliary randomness. */
export function signSchnorr(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return schnorr.sign(hash, privateKey, new Uint8Array(32))
}

/** Signs with ECDSA (RFC 6979), with low S and low R as in Bitcoin Core. */
export function signEcdsa(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  for (let counter = 0; ; counter++) {
    const extraEntropy = counter === 0 ? undefined : bytes32(BigInt(counter)).reverse()
    const signature = secp256k1.sign(hash, privateKey, {
      prehash: false,
      lowS: true,
      format: 'der',
      ...(extraEntropy ? { extraEntropy } : {}),
    })
    if (signature.length <= 70) return signature
  }
}

/** Verifies a BIP-340 signature. Returns false if malformed. */
export function verifySchnorr(signature: Uint8Array, hash: Uint8Array, key: Uint8Array): boolean {
  try {
    return schnorr.verify(signature, hash, key)
  } catch {
    return false
  }
}

/** Verifies a strict DER, low-S signature. Returns false if malformed. */
export function verifyEcdsa(signature: Uint8Array, hash: Uint8Array, key: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, hash, key, { prehash: false, lowS: true, format: 'der' })
  } catch {
    return false
  }
}
