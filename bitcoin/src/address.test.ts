import { expect, it } from 'vitest'
import { addressOfScript, isAddressOf, scriptOfAddress } from './address.ts'
import { bytesToHex, hexToBytes } from './bytes.ts'

/** Addresses and scripts from BIP-173, BIP-350 and BIP-86. */
const ADDRESSES = [
  ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
  [
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  ],
  [
    'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c',
  ],
] as const

it.each(ADDRESSES)('parses %s in lower or upper case', (address, script) => {
  expect(bytesToHex(scriptOfAddress(address, 'mainnet'))).toBe(script)
  expect(bytesToHex(scriptOfAddress(address.toUpperCase(), 'mainnet'))).toBe(script)
  expect(addressOfScript(hexToBytes(script), 'mainnet')).toBe(address)
  expect(isAddressOf(address.toUpperCase(), hexToBytes(script), 'mainnet')).toBe(true)
  const mixed = address.slice(0, 10) + address.slice(10).toUpperCase()
  expect(() => scriptOfAddress(mixed, 'mainnet')).toThrow(`${mixed} is not a mainnet address`)
  expect(isAddressOf(mixed, hexToBytes(script), 'mainnet')).toBe(false)
})

// Invalid addresses from BIP-350.
it.each([
  'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
  'bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqk4y2g7',
  'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  'bc1pw5dgrnzv',
  'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P',
  'bc1gmk9yu',
])('rejects the invalid address %s', (address) => {
  expect(() => scriptOfAddress(address, 'mainnet')).toThrow('is not a mainnet address')
})
