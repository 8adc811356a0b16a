import { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { WalletRefused } from '../errors.ts'

const HEX = /^([0-9a-f]{2})+$/i

/** Wallets write the same bytes in different ways. Each function throws WalletRefused for a text of another form. */
export const hexOfBase64 = (base64: string) => bytesToHex(bytesOf(base64))

export function base64OfHex(hex: string): string {
  if (!HEX.test(hex)) throw new WalletRefused('the wallet answered with a text that is not hex')
  return base64OfBytes(hexToBytes(hex))
}

export function bytesOf(base64: string): Uint8Array {
  const bytes = bytesOfBase64(base64)
  if (!bytes) throw new WalletRefused('the wallet answered with a text that is not base64')
  return bytes
}

/** A BIP-322 signature in hex, without the prefix of version 1.0.0. Base64 follows a prefix; without one, the text is either. */
export const hexOfSignature = (text: string) =>
  /^(smp|ful)/.test(text) ? hexOfBase64(text.slice(3)) : hexOfEither(text)

/** Bytes of a text in hex or base64. */
export const hexOfEither = (text: string) => (HEX.test(text) ? text.toLowerCase() : hexOfBase64(text))
