import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { base64 } from '@scure/base'

export { bytesToHex, hexToBytes }

/** Decodes padded base64, or returns null. */
export function bytesOfBase64(text: string): Uint8Array | null {
  try {
    return base64.decode(text)
  } catch {
    return null
  }
}

export function base64OfBytes(bytes: Uint8Array): string {
  return base64.encode(bytes)
}

/** Compares bytes. Not constant time, so use it only for public data. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  return joinBytes(parts)
}

/** Concatenates any number of byte arrays. Spreading 125,000 arguments overflows the stack. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Encodes an unsigned integer in little endian. */
export function littleEndian(value: number, length: 1 | 2 | 4 | 8): Uint8Array {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  if (length === 1) view.setUint8(0, value)
  else if (length === 2) view.setUint16(0, value, true)
  else if (length === 4) view.setUint32(0, value, true)
  else view.setBigUint64(0, BigInt(value), true)
  return bytes
}

/** Encodes a compact size, up to 32 bits. */
export function compactSize(value: number): Uint8Array {
  if (value < 0xfd) return littleEndian(value, 1)
  if (value <= 0xffff) return concatBytes(Uint8Array.of(0xfd), littleEndian(value, 2))
  return concatBytes(Uint8Array.of(0xfe), littleEndian(value, 4))
}

/** Prefixes bytes with their compact size. */
export function varBytes(bytes: Uint8Array): Uint8Array {
  return concatBytes(compactSize(bytes.length), bytes)
}
