import { hexToBytes } from '@noble/hashes/utils.js'
import { WIF } from '@scure/btc-signer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptOfAddress, scriptOfPublicKey } from './address.ts'
import { signMessage, verifyMessage } from './bip322.ts'
import { publicKeyOf } from './keys.ts'

/** Test vectors of BIP-322, "Message signing" (P2WPKH) and of its P2TR reference signatures. */
const KEY = WIF().decode('L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k')
const P2WPKH = scriptOfAddress('bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l', 'mainnet')
const P2TR = scriptOfAddress('bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3', 'mainnet')

describe('BIP-322 simple', () => {
  it.each([
    [
      '',
      'AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
    ],
    [
      '',
      'AkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
    ],
    [
      'Hello World',
      'AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
    ],
    [
      'Hello World',
      'AkgwRQIhAOzyynlqt93lOKJr+wmmxIens//zPzl9tqIOua93wO6MAiBi5n5EyAcPScOjf1lAqIUIQtr3zKNeavYabHyR8eGhowEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
    ],
  ])('accepts the published P2WPKH signature of %j', (message, signature) => {
    expect(verifyMessage(P2WPKH, message, signature)).toBe(true)
    expect(verifyMessage(P2WPKH, message, Buffer.from(signature, 'base64').toString('hex'))).toBe(true)
    expect(
      verifyMessage(P2WPKH, message, Buffer.from(signature, 'base64').toString('hex').toUpperCase()),
    ).toBe(true)
    expect(verifyMessage(P2WPKH, `${message}!`, signature)).toBe(false)
    expect(verifyMessage(P2TR, message, signature)).toBe(false)
  })

  it('accepts the published P2TR signature, which names its sighash', () => {
    const signature =
      'AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=='
    expect(verifyMessage(P2TR, 'Hello World', signature)).toBe(true)
    const hex = Buffer.from(signature, 'base64').toString('hex')
    expect(verifyMessage(P2TR, 'Hello World', `${hex.slice(0, -2)}03`)).toBe(false)
  })

  it('verifies what it signs, and nothing else, for every kind of address', () => {
    fc.assert(
      fc.property(
        fc
          .uint8Array({ minLength: 32, maxLength: 32 })
          .filter((key) => key.some((byte) => byte > 0) && key[0]! < 0xff),
        fc.string(),
        fc.constantFrom('p2tr' as const, 'p2wpkh' as const, 'p2sh-p2wpkh' as const),
        fc.nat(),
        (key, message, kind, flip) => {
          const script = scriptOfPublicKey(publicKeyOf(key), kind)
          const signature = signMessage(script, message, key)
          expect(verifyMessage(script, message, signature)).toBe(true)
          expect(verifyMessage(script, `${message} `, signature)).toBe(false)
          const bytes = hexToBytes(signature)
          bytes[flip % bytes.length]! ^= 1
          expect(verifyMessage(script, message, Buffer.from(bytes).toString('hex'))).toBe(false)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('never throws on rubbish', () => {
    fc.assert(
      fc.property(fc.string(), (signature) => {
        expect(verifyMessage(P2TR, 'x', signature)).toBe(false)
        expect(verifyMessage(P2WPKH, 'x', signature)).toBe(false)
      }),
    )
    expect(verifyMessage(scriptOfPublicKey(publicKeyOf(KEY), 'p2wpkh'), '', '')).toBe(false)
  })
})
