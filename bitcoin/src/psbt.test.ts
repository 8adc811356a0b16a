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

/** The code of the refusal, or null. */
function refusalOf(check: () => unknown): string | null {
  try {
    check()
    return null
  } catch (error) {
    return (error as BitcoinError).code
  }
}

describe('Schnorr signature', () => {
  const signature = signKeyInput(payment, 0, key)
  /** The signature with bytes behind it, the last of which names a sighash that was signed. */
  const longer = (length: number) => {
    const bytes = new Uint8Array(length)
    bytes.set(signature.subarray(0, Math.min(64, length)))
    return bytes
  }

  it('has 64 bytes, or 65 with a sighash byte', () => {
    expect(signature).toHaveLength(64)
    expect(refusalOf(() => verifySignature(signature, payment, 0, null))).toBeNull()
    for (const length of [66, 63, 0, 100])
      expect(
        refusalOf(() => verifySignature(longer(length), payment, 0, null)),
        `${length} bytes`,
      ).toBe('signature-invalid')
  })

  it('must not have a sighash byte of 0', () => {
    expect(refusalOf(() => verifySignature(longer(65), payment, 0, null))).toBe('wrong-sighash')
  })

  it('is verified against its input', () => {
    const other = signKeyInput(payment, 1, key)
    expect(refusalOf(() => verifySignature(other, payment, 1, null))).toBeNull()
    expect(refusalOf(() => verifySignature(other, payment, 0, null))).toBe('signature-invalid')
    expect(refusalOf(() => verifySignature(signature, payment, 1, null))).toBe('signature-invalid')
  })
})

describe('text of a PSBT', () => {
  const base64 = psbtOf(payment, { indexes: [0] })
  const bytes = bytesOfBase64(base64)!
  const read = (text: string) => () => decodePsbt(text)

  it('can contain line breaks', () => {
    const lines = `\n${base64.match(/.{1,64}/g)!.join('\r\n')} \n`
    expect(decodePsbt(lines)).toEqual(decodePsbt(base64))
  })

  it('is rejected with a clear message in other formats', () => {
    expect(read(bytesToHex(bytes))).toThrow('the PSBT is in hex: send it in base64')
    expect(read(bytesToHex(bytes).toUpperCase())).toThrow('is in hex')
    expect(read('not base64!')).toThrow('the PSBT is not base64')
    expect(read(base64OfBytes(bytes.slice(1)))).toThrow('are not a PSBT')
    expect(read('')).toThrow('are not a PSBT')
    for (const length of [6, 20, bytes.length - 1])
      expect(read(base64OfBytes(bytes.slice(0, length)))).toThrow(
        'the PSBT cannot be read: a field of it is cut off, repeated, or has a value of another form',
      )
  })

  it('is rejected as version 2 (BIP-370)', () => {
    const psbt = new Transaction({ PSBTVersion: 2 })
    psbt.addInput({ txid: 'ab'.repeat(32), index: 0 })
    const version2 = base64OfBytes(psbt.toPSBT(2))
    expect(read(version2)).toThrow('the PSBT is of version 2: convert it to version 0 (BIP-174)')
  })
})

it.each(['p2tr', 'p2wpkh', 'p2sh-p2wpkh'] as const)(
  'knows the id of a signed transaction of %s inputs',
  (kind) => {
    const own = scriptOfPublicKey(publicKeyOf(key), kind)
    const layout: Layout = {
      ...payment,
      inputs: payment.inputs.map((input) => ({
        ...input,
        coin: { ...input.coin, script: own },
        spend: { by: 'key', ...keySpendOf(own, publicKeyOf(key)) },
      })),
    }
    const psbt = psbtOf(layout, { indexes: [0, 1] })
    expect(signedTxidOf(psbt)).toBe(txidOf(transactionOf(layout)))
  },
)
