import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { seedOfWords } from '@ordbook/sdk/hd-wallet.ts'
import { Failure } from '../failure.ts'

/** Parses a seed: 12 to 24 BIP-39 words, or 16 to 64 bytes of hex. Throws Failure. */
export function seedOf(text: string, passphrase: string): Uint8Array {
  const hex = text.trim()
  if (/^([0-9a-f]{2}){16,64}$/i.test(hex)) return hexToBytes(hex.toLowerCase())
  try {
    return seedOfWords(text, passphrase)
  } catch {
    throw new Failure(
      'bad-seed',
      'invalid seed file: expected BIP-39 words with a valid checksum, or a seed in hex',
    )
  }
}
