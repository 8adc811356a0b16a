import { describe, expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from './address.ts'
import type { BitcoinError } from './errors.ts'
import { signKeyInput } from './inscribe.ts'
import { publicKeyOf } from './keys.ts'
import { verifySignature } from './psbt.ts'
import type { Layout } from './trade/layout.ts'

const key = new Uint8Array(32).fill(7)
const script = scriptOfPublicKey(publicKeyOf(key), 'p2tr')
const payment: Layout = {
  version: 2,
  inputs: [0, 1].map((vout) => ({
    role: 'payment',
    coin: { txid: '11'.repeat(32), vout, valueSats: 10_000, script },
    signer: 'buyer',
    spend: { by: 'key', ...keySpendOf(script, publicKeyOf(key)) },
  })),
  outputs: [{ role: 'change', valueSats: 9000, script }],
}

/** The code of the refusal, or null. */
function refusalOf(check: () => unknown): string | null {
  try {
    check()
    return null
  } catch (error) {
    return (error as BitcoinError).code
  }
}

describe('a Schnorr signature', () => {
  const signature = signKeyInput(payment, 0, key)
  /** The signature with bytes behind it, the last of which names a sighash that was signed. */
  const longer = (length: number) => {
    const bytes = new Uint8Array(length)
    bytes.set(signature.subarray(0, Math.min(64, length)))
    return bytes
  }

  it('has 64 bytes, or 65 with its sighash byte', () => {
    expect(signature).toHaveLength(64)
    expect(refusalOf(() => verifySignature(signature, payment, 0, null))).toBeNull()
    for (const length of [66, 63, 0, 100])
      expect(
        refusalOf(() => verifySignature(longer(length), payment, 0, null)),
        `${length} bytes`,
      ).toBe('signature-invalid')
  })

  it('names no sighash 0 in a byte of its own', () => {
    expect(refusalOf(() => verifySignature(longer(65), payment, 0, null))).toBe('wrong-sighash')
  })

  it('is verified against its own input', () => {
    const other = signKeyInput(payment, 1, key)
    expect(refusalOf(() => verifySignature(other, payment, 1, null))).toBeNull()
    expect(refusalOf(() => verifySignature(other, payment, 0, null))).toBe('signature-invalid')
    expect(refusalOf(() => verifySignature(signature, payment, 1, null))).toBe('signature-invalid')
  })
})
