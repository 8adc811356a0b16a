import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { describe, expect, it } from 'vitest'
import { WalletRefused } from './errors.ts'
import { fromAccount, fromMnemonic, keysOfSeed } from './hd-wallet.ts'

/** Test vector of BIP-39. BIP-86, BIP-84 and BIP-49 list its first addresses. */
const WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const ORDINALS = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'
const PAYMENTS = {
  p2wpkh: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  'p2sh-p2wpkh': '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf',
  p2tr: ORDINALS,
} as const
const KINDS = Object.keys(PAYMENTS) as (keyof typeof PAYMENTS)[]
const network = 'mainnet'

describe('fromMnemonic', () => {
  it.each(KINDS)('derives the first addresses, with payments from %s', (paymentKind) => {
    const wallet = fromMnemonic(`  ${WORDS.replace(' ', '\n')} `, { network, paymentKind })
    expect(wallet).toMatchObject({ ordinalsAddress: ORDINALS, paymentAddress: PAYMENTS[paymentKind] })
  })

  it('derives other keys for an account, a passphrase and a test network', () => {
    const addresses = [
      fromMnemonic(WORDS, { network }),
      fromMnemonic(WORDS, { network, account: 1 }),
      fromMnemonic(WORDS, { network, passphrase: 'TREZOR' }),
      fromMnemonic(WORDS, { network: 'testnet' }),
    ].map(({ ordinalsPublicKey }) => ordinalsPublicKey)
    expect(new Set(addresses).size).toBe(4)
  })

  it.each([`${WORDS} about`, WORDS.replace('about', 'abandon'), 'ab', ''])('rejects %j', (words) => {
    expect(() => fromMnemonic(words, { network })).toThrow(WalletRefused)
  })
})

describe('fromAccount', () => {
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS))
  const accounts = {
    ordinals: root.derive("m/86'/0'/0'").privateExtendedKey,
    payment: root.derive("m/84'/0'/0'").privateExtendedKey,
  }

  it('derives the first address of each account', () => {
    expect(fromAccount(accounts, { network })).toMatchObject({
      ordinalsAddress: ORDINALS,
      paymentAddress: PAYMENTS.p2wpkh,
    })
  })

  it('rejects public keys, other text and keys of another network', () => {
    const { publicExtendedKey } = root.derive("m/86'/0'/0'")
    expect(() => fromAccount({ ...accounts, ordinals: publicExtendedKey }, { network })).toThrow(
      WalletRefused,
    )
    expect(() => fromAccount({ ...accounts, payment: 'xprv' }, { network })).toThrow(WalletRefused)
    expect(() => fromAccount(accounts, { network: 'regtest' })).toThrow(WalletRefused)
  })
})

it('keysOfSeed derives from a seed in bytes', () => {
  const seed = hexToBytes('000102030405060708090a0b0c0d0e0f')
  const { ordinals, payment } = keysOfSeed(seed, { account: 0, network })
  const root = HDKey.fromMasterSeed(seed)
  expect(ordinals).toEqual(root.derive("m/86'/0'/0'/0/0").privateKey)
  expect(payment).toEqual(root.derive("m/84'/0'/0'/0/0").privateKey)
})
