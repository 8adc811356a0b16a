import { addressOfScript, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { checksumOf } from '@ordbook/bitcoin/descriptor-checksum.ts'
import { publicKeyOf } from '@ordbook/bitcoin/keys.ts'
import { expect, it } from 'vitest'
import { Failure } from '../failure.ts'
import { keyOfDescriptor } from './descriptor.ts'
import { seedOf } from './hd.ts'

/** BIP-39 test vector with its seed; its keys are derived by BIP-32. */
const WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const SEED =
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4'
const addressOf = (key: Uint8Array, kind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh') =>
  addressOfScript(scriptOfPublicKey(publicKeyOf(key), kind), 'mainnet')

it('derives the seed of words with any white space', () => {
  expect(seedOf(`  ${WORDS.replace(' ', '\n')}\n`, '')).toEqual(hexToBytes(SEED))
})

it.each([`${WORDS} about`, WORDS.replace('about', 'abandon'), 'ab', 'xyz'])('rejects the seed %j', (text) => {
  expect(() => seedOf(text, '')).toThrow(Failure)
})

it('verifies the checksum of BIP-380', () => {
  expect(checksumOf('raw(deadbeef)')).toBe('89f8spxm')
})

// The root key of the words above, and the WIF of its first BIP-86 address.
const ROOT =
  'xprv9s21ZrQH143K3GJpoapnV8SFfukcVBSfeCficPSGfubmSFDxo1kuHnLisriDvSnRRuL2Qrg5ggqHKNVpxR86QEC8w35uxmGoggxtQTPvfUu'

it('parses descriptors with private keys', () => {
  const { kind, key } = keyOfDescriptor(`tr(${ROOT}/86h/0'/0h/0/*)`, true)
  expect(kind).toBe('p2tr')
  expect(addressOf(key, 'p2tr')).toBe('bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr')
  const origin = `wpkh([73c5da0a/84h/0h]${ROOT}/84h/0h/0h/0/0)`
  expect(addressOf(keyOfDescriptor(`${origin}#${checksumOf(origin)}`, true).key, 'p2wpkh')).toBe(
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  )
  const wif = 'sh(wpkh(KyRv5iFPHG7iB5E4CqvMzH3WFJVhbfYK4VY7XAedd9Ys69mEsPLQ))'
  expect(keyOfDescriptor(wif, true).kind).toBe('p2sh-p2wpkh')
})

it.each([
  ['a wrong checksum', `tr(${ROOT}/0)#aaaaaaaa`],
  [
    'a public key',
    'tr(xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz/0)',
  ],
  ['a script', `tr(${ROOT}/0,pk(${ROOT}/1))`],
  ['a key of another network', 'tr(cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA)'],
  ['a path behind a WIF', 'tr(KyRv5iFPHG7iB5E4CqvMzH3WFJVhbfYK4VY7XAedd9Ys69mEsPLQ/0)'],
])('rejects a descriptor with %s', (_, text) => {
  expect(() => keyOfDescriptor(text, true)).toThrow(Failure)
  expect(() => keyOfDescriptor(text, true)).not.toThrow(text.slice(3, 20))
})
