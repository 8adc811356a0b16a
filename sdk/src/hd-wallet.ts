import type { AddressNetwork, KeySpend } from '@ordbook/bitcoin/address.ts'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { WalletRefused } from './errors.ts'
import { LocalWallet } from './wallet.ts'

type Kind = KeySpend['kind']

interface Options {
  network: AddressNetwork
  /** Address type for payments. */
  paymentKind?: Kind
}

/** BIP-86, BIP-84 and BIP-49. */
const PURPOSES: Record<Kind, number> = { p2tr: 86, p2wpkh: 84, 'p2sh-p2wpkh': 49 }
const MAINNET = { private: 0x0488ade4, public: 0x0488b21e }
const TESTNET = { private: 0x04358394, public: 0x043587cf }

/** Parses an extended key (BIP-32): xprv or xpub, on test networks tprv or tpub. Throws for other keys. */
export const extendedKeyOf = (text: string, isMainnet: boolean): HDKey =>
  HDKey.fromExtendedKey(text, isMainnet ? MAINNET : TESTNET)

/** Derives the seed of 12 to 24 English words (BIP-39). Throws WalletRefused for words with a wrong checksum. */
export function seedOfWords(words: string, passphrase = ''): Uint8Array {
  const phrase = words.trim().split(/\s+/).join(' ')
  if (!validateMnemonic(phrase, wordlist))
    throw new WalletRefused('invalid mnemonic: expected 12 to 24 BIP-39 words with a valid checksum')
  return mnemonicToSeedSync(phrase, passphrase)
}

/**
 * Returns a wallet for 12 to 24 English words (BIP-39). It uses the first P2TR address of the account for inscriptions (BIP-86), and the
 * first of `paymentKind` for payments (BIP-84, BIP-49 or BIP-86). Throws WalletRefused for words with a wrong checksum.
 */
export function fromMnemonic(
  words: string,
  { account = 0, passphrase = '', ...options }: Options & { account?: number; passphrase?: string },
): LocalWallet {
  return walletOf(keysOfSeed(seedOfWords(words, passphrase), { account, ...options }), options)
}

/**
 * Returns a wallet for the extended private keys (xprv, or tprv on test networks) of two accounts: `ordinals` at m/86'/0'/0', `payment` at
 * the account of `paymentKind`. It uses the first address of each. Throws WalletRefused for other keys.
 */
export function fromAccount(
  { ordinals, payment }: { ordinals: string; payment: string },
  options: Options,
): LocalWallet {
  const keyOf = (extended: string) => {
    try {
      return extendedKeyOf(extended, options.network === 'mainnet')
    } catch (cause) {
      throw new WalletRefused('invalid extended private key for this network', { cause })
    }
  }
  return walletOf({ ordinals: firstKeyOf(keyOf(ordinals)), payment: firstKeyOf(keyOf(payment)) }, options)
}

/** Derives the first private keys of an account from a BIP-32 seed of 16 to 64 bytes. */
export function keysOfSeed(
  seed: Uint8Array,
  { account, network, paymentKind = 'p2wpkh' }: Options & { account: number },
): { ordinals: Uint8Array; payment: Uint8Array } {
  const root = HDKey.fromMasterSeed(seed)
  const keyAt = (kind: Kind) =>
    firstKeyOf(root.derive(`m/${PURPOSES[kind]}'/${network === 'mainnet' ? 0 : 1}'/${account}'`))
  return { ordinals: keyAt('p2tr'), payment: keyAt(paymentKind) }
}

function firstKeyOf(account: HDKey): Uint8Array {
  const { privateKey } = account.deriveChild(0).deriveChild(0)
  if (!privateKey) throw new WalletRefused('expected an extended private key, found a public one')
  return privateKey
}

const walletOf = (
  keys: { ordinals: Uint8Array; payment: Uint8Array },
  { network, paymentKind = 'p2wpkh' }: Options,
) => new LocalWallet(keys, { network, paymentKind })
