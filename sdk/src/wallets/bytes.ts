import { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { WalletRefused } from '../errors.ts'

const HEX = /^([0-9a-f]{2})+$/i

/** Conversions between encodings. Each throws WalletRefused for malformed text. */
export const hexOfBase64 = (base64: string) => bytesToHex(bytesOf(base64))

export function base64OfHex(hex: string): string {
  if (!HEX.test(hex)) throw new WalletRefused('The wallet returned text that is not hex.')
  return base64OfBytes(hexToBytes(hex))
}

export function bytesOf(base64: string): Uint8Array {
  const bytes = bytesOfBase64(base64)
  if (!bytes) throw new WalletRefused('The wallet returned text that is not base64.')
  return bytes
}

/** Returns a BIP-322 signature in hex. Accepts hex, base64, and base64 with the prefix of BIP-322 1.0.0. */
export const hexOfSignature = (text: string) =>
  /^(smp|ful)/.test(text) ? hexOfBase64(text.slice(3)) : hexOfEither(text)

export const hexOfEither = (text: string) => (HEX.test(text) ? text.toLowerCase() : hexOfBase64(text))
