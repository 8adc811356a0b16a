import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'

export { bytesToHex, hexToBytes }

/** Base64 (standard alphabet, padded) to bytes; null when it is not base64. */
export function bytesOfBase64(text: string): Uint8Array | null {
  try {
    return base64.decode(text)
  } catch {
    return null
  }
}

/** Bytes to base64. */
export function base64OfBytes(bytes: Uint8Array): string {
  return base64.encode(bytes)
}

/** True when both hold the same bytes. Not constant time: for public data. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** Joins byte arrays, a few. */
export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  return joinBytes(parts)
}

/** Joins a list of byte arrays of any length: as arguments, some 125,000 of them overflow the stack. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** An unsigned integer of `length` bytes, little endian, as consensus serialisation writes it. */
export function littleEndian(value: number, length: 1 | 2 | 4 | 8): Uint8Array {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  if (length === 1) view.setUint8(0, value)
  else if (length === 2) view.setUint16(0, value, true)
  else if (length === 4) view.setUint32(0, value, true)
  else view.setBigUint64(0, BigInt(value), true)
  return bytes
}

/** Bitcoin's variable-length integer. */
export function compactSize(value: number): Uint8Array {
  if (value < 0xfd) return littleEndian(value, 1)
  if (value <= 0xffff) return concatBytes(Uint8Array.of(0xfd), littleEndian(value, 2))
  return concatBytes(Uint8Array.of(0xfe), littleEndian(value, 4))
}

/** A byte string with its length in front. */
export function varBytes(bytes: Uint8Array): Uint8Array {
  return concatBytes(compactSize(bytes.length), bytes)
}
