import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WalletRefused } from '../errors.ts'
import { base64OfHex, bytesOf, hexOfBase64, hexOfEither, hexOfSignature } from './bytes.ts'

describe('byte conversions', () => {
  it('round-trips hex and base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        const hex = Buffer.from(bytes).toString('hex')
        const base64 = Buffer.from(bytes).toString('base64')
        expect(base64OfHex(hex.toUpperCase())).toBe(base64)
        expect(hexOfBase64(base64)).toBe(hex)
        expect(bytesOf(base64)).toEqual(bytes)
        expect(hexOfEither(hex.toUpperCase())).toBe(hex)
        for (const form of ['smp', 'ful']) expect(hexOfSignature(form + base64)).toBe(hex)
        expect(hexOfSignature(hex)).toBe(hex)
      }),
    )
  })

  it.each(['', 'abc', 'zz', '0x51', 'ab cd'])('rejects %j as hex', (text) => {
    expect(() => base64OfHex(text)).toThrow(WalletRefused)
  })

  it.each(['not base64!', 'a', '===='])('rejects %j as base64', (text) => {
    expect(() => bytesOf(text)).toThrow(WalletRefused)
  })
})
