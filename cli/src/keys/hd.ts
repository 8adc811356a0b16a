import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { Failure } from '../failure.ts'

/** Parses a seed: 12 to 24 BIP-39 words, or 16 to 64 bytes of hex. Throws Failure. */
export function seedOf(text: string, passphrase: string): Uint8Array {
  const words = text.trim().split(/\s+/).join(' ')
  if (/^([0-9a-f]{2}){16,64}$/i.test(words)) return hexToBytes(words.toLowerCase())
  if (!validateMnemonic(words, wordlist))
    throw new Failure(
      'bad-seed',
      'invalid seed file: expected BIP-39 words with a valid checksum, or a seed in hex',
    )
  return mnemonicToSeedSync(words, passphrase)
}
