import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { Failure } from '../failure.ts'

type Kind = KeySpend['kind']

/** BIP-86, BIP-84 and BIP-49. */
const PURPOSES: Record<Kind, number> = { p2tr: 86, p2wpkh: 84, 'p2sh-p2wpkh': 49 }

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

/** Derives the first private keys of an account: P2TR for inscriptions, and `payment` for payments. */
export function keysOfSeed(
  seed: Uint8Array,
  { account, payment, isMainnet }: { account: number; payment: Kind; isMainnet: boolean },
): { ordinals: Uint8Array; payment: Uint8Array } {
  const root = HDKey.fromMasterSeed(seed)
  const keyAt = (kind: Kind) =>
    root.derive(`m/${PURPOSES[kind]}'/${isMainnet ? 0 : 1}'/${account}'/0/0`).privateKey!
  return { ordinals: keyAt('p2tr'), payment: keyAt(payment) }
}
