import { Transaction } from '@scure/btc-signer'
import { describe, expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from './address.ts'
import { base64OfBytes, bytesOfBase64, bytesToHex } from './bytes.ts'
import type { BitcoinError } from './errors.ts'
import { signKeyInput } from './inscribe.ts'
import { publicKeyOf } from './keys.ts'
import { decodePsbt, psbtOf, signedTxidOf, verifySignature } from './psbt.ts'
import { type Layout, transactionOf } from './trade/layout.ts'
import { txidOf } from './transaction.ts'

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

function errorCodeOf(check: () => unknown): string | null {
  try {
    check()
    return null
  } catch (error) {
    return (error as BitcoinError).code
  }
}

describe('verifySignature with Schnorr signatures', () => {
  const signature = signKeyInput(payment, 0, key)
  /** Truncates or zero-pads the signature. */
  const resized = (length: number) => {
    const bytes = new Uint8Array(length)
    bytes.set(signature.subarray(0, Math.min(64, length)))
    return bytes
  }

  it('rejects lengths other than 64 and 65 bytes', () => {
    expect(signature).toHaveLength(64)
    expect(errorCodeOf(() => verifySignature(signature, payment, 0, null))).toBeNull()
    for (const length of [66, 63, 0, 100])
      expect(
        errorCodeOf(() => verifySignature(resized(length), payment, 0, null)),
        `${length} bytes`,
      ).toBe('signature-invalid')
  })

  it('rejects a sighash byte of 0', () => {
    expect(errorCodeOf(() => verifySignature(resized(65), payment, 0, null))).toBe('wrong-sighash')
  })

  it('rejects the signature of another input', () => {
    const other = signKeyInput(payment, 1, key)
    expect(errorCodeOf(() => verifySignature(other, payment, 1, null))).toBeNull()
    expect(errorCodeOf(() => verifySignature(other, payment, 0, null))).toBe('signature-invalid')
    expect(errorCodeOf(() => verifySignature(signature, payment, 1, null))).toBe('signature-invalid')
  })
})

describe('decodePsbt', () => {
  const base64 = psbtOf(payment, { indexes: [0] })
  const bytes = bytesOfBase64(base64)!
  const read = (text: string) => () => decodePsbt(text)

  it('accepts line breaks', () => {
    const lines = `\n${base64.match(/.{1,64}/g)!.join('\r\n')} \n`
    expect(decodePsbt(lines)).toEqual(decodePsbt(base64))
  })

  it('reports the encoding of a hex PSBT', () => {
    expect(read(bytesToHex(bytes))).toThrow('the PSBT is hex, expected base64')
    expect(read(bytesToHex(bytes).toUpperCase())).toThrow('is hex')
    expect(read('not base64!')).toThrow('the PSBT is not base64')
    expect(read(base64OfBytes(bytes.slice(1)))).toThrow('are not a PSBT')
    expect(read('')).toThrow('are not a PSBT')
    for (const length of [6, 20, bytes.length - 1])
      expect(read(base64OfBytes(bytes.slice(0, length)))).toThrow(
        'the PSBT has a truncated, repeated or invalid field',
      )
  })

  it('rejects version 2 (BIP-370)', () => {
    const psbt = new Transaction({ PSBTVersion: 2 })
    psbt.addInput({ txid: 'ab'.repeat(32), index: 0 })
    const version2 = base64OfBytes(psbt.toPSBT(2))
    expect(read(version2)).toThrow('the PSBT has version 2, expected version 0 (BIP-174)')
  })
})

it.each(['p2tr', 'p2wpkh', 'p2sh-p2wpkh'] as const)(
  'signedTxidOf computes the txid for %s inputs',
  (kind) => {
    const inputScript = scriptOfPublicKey(publicKeyOf(key), kind)
    const layout: Layout = {
      ...payment,
      inputs: payment.inputs.map((input) => ({
        ...input,
        coin: { ...input.coin, script: inputScript },
        spend: { by: 'key', ...keySpendOf(inputScript, publicKeyOf(key)) },
      })),
    }
    const psbt = psbtOf(layout, { indexes: [0, 1] })
    expect(signedTxidOf(psbt)).toBe(txidOf(transactionOf(layout)))
  },
)
