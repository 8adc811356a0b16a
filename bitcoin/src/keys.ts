import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from './bytes.ts'

export { sha256 }

/** SHA-256, twice. */
export const sha256d = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes))

/** RIPEMD-160 of SHA-256. */
export const hash160 = (bytes: Uint8Array): Uint8Array => ripemd160(sha256(bytes))

const tags = new Map<string, Uint8Array>()

/** BIP-340 tagged hash. */
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

/** Compressed public key (33 bytes) of a private key. */
export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => secp256k1.getPublicKey(privateKey, true)

/** X-only public key (32 bytes) of a private key, BIP-340. */
export const xOnlyKeyOf = (privateKey: Uint8Array): Uint8Array => schnorr.getPublicKey(privateKey)

/** The x-only form of a compressed or x-only key. */
export const toXOnly = (key: Uint8Array): Uint8Array => (key.length === 33 ? key.slice(1) : key)

/** Cached, because computing an output key takes a millisecond and a trade of twenty items needs each key many times. */
const MAX_OUTPUT_KEYS = 2000
const outputKeys = new Map<string, { outputKey: Uint8Array; odd: boolean }>()

/** BIP-341 output key of an internal key and, for a script path, the tree's root; with the parity of its y. */
export function taprootOutputKey(
  internalKey: Uint8Array,
  merkleRoot: Uint8Array = new Uint8Array(),
): { outputKey: Uint8Array; odd: boolean } {
  const name = bytesToHex(concatBytes(internalKey, merkleRoot))
  const known = outputKeys.get(name)
  // A copy, which the caller may modify.
  if (known) return { outputKey: known.outputKey.slice(), odd: known.odd }
  const tweak = bigintOf(taggedHash('TapTweak', internalKey, merkleRoot))
  const point = schnorr.utils.lift_x(bigintOf(internalKey)).add(Point.BASE.multiply(tweak % ORDER))
  const affine = point.toAffine()
  const found = { outputKey: bytes32(affine.x), odd: (affine.y & 1n) === 1n }
  if (outputKeys.size >= MAX_OUTPUT_KEYS) outputKeys.delete(outputKeys.keys().next().value!)
  outputKeys.set(name, found)
  return { outputKey: found.outputKey.slice(), odd: found.odd }
}

/** The private key of `taprootOutputKey`'s output key, BIP-341. */
export function tweakPrivateKey(
  privateKey: Uint8Array,
  merkleRoot: Uint8Array = new Uint8Array(),
): Uint8Array {
  const odd = publicKeyOf(privateKey)[0] === 3
  const even = odd ? ORDER - bigintOf(privateKey) : bigintOf(privateKey)
  const tweak = bigintOf(taggedHash('TapTweak', xOnlyKeyOf(privateKey), merkleRoot))
  return bytes32((even + tweak) % ORDER)
}

/** BIP-340 signature, 64 bytes. Deterministic (no auxiliary randomness), so that rebuilding gives the same signature. */
export function signSchnorr(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return schnorr.sign(hash, privateKey, new Uint8Array(32))
}

/** DER ECDSA signature with low S and low R (at most 71 bytes), RFC 6979, as in Bitcoin Core. */
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

/** True when `signature` (64 bytes) signs `hash` under the x-only `key`, BIP-340. */
export function verifySchnorr(signature: Uint8Array, hash: Uint8Array, key: Uint8Array): boolean {
  try {
    return schnorr.verify(signature, hash, key)
  } catch {
    return false
  }
}

/** True when `signature` (strict DER, low S) signs `hash` under the compressed `key`. */
export function verifyEcdsa(signature: Uint8Array, hash: Uint8Array, key: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, hash, key, { prehash: false, lowS: true, format: 'der' })
  } catch {
    return false
  }
}
