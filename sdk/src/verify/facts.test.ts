import { describe, expect, it } from 'vitest'
import { CheckFailed } from '../errors.ts'
import { LocalWallet } from '../wallet.ts'
import { marketOf } from './facts.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const owner = new LocalWallet(
  { ordinals: key(1), payment: key(2) },
  { network: 'regtest', paymentKind: 'p2wpkh' },
)
const marketAddress = new LocalWallet(
  { ordinals: key(3), payment: key(4) },
  { network: 'regtest', paymentKind: 'p2wpkh' },
).ordinalsAddress
const KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

describe('the keys of a market', () => {
  it('are 32 bytes each', () => {
    expect(marketOf(owner, { cosignKey: KEY, guardianKey: KEY, marketAddress }).cosignKey).toHaveLength(32)
  })

  // DROP 1 behind the key would end the leaf of an escrow: anyone could take the coin.
  it.each([`${KEY}7551`, KEY.slice(2), `02${KEY}`, '', 'x'.repeat(64)])('are not %s', (other) => {
    for (const name of ['cosignKey', 'guardianKey'])
      expect(() =>
        marketOf(owner, { cosignKey: KEY, guardianKey: KEY, marketAddress, [name]: other }),
      ).toThrow(CheckFailed)
  })
})
