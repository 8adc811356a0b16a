import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from './bytes.ts'
import { signSchnorr, verifySchnorr, xOnlyKeyOf } from './keys.ts'

/** Vectors of BIP-340 with 32-byte messages. */
const vectors = readFileSync(join(import.meta.dirname, 'vectors/bip340.csv'), 'utf8')
  .trim()
  .split(/\r?\n/)
  .slice(1)
  .map((line) => line.toLowerCase().split(','))
  .map(([index, secret, key, aux, message, signature, result, comment]) => ({
    index: index!,
    secret: secret!,
    key: key!,
    aux: aux!,
    message: message!,
    signature: signature!,
    isValid: result === 'true',
    comment: comment!,
  }))
  .filter(({ message }) => message.length === 64)

it.each(vectors)('$index: $isValid $comment', ({ secret, key, aux, message, signature, isValid }) => {
  expect(verifySchnorr(hexToBytes(signature), hexToBytes(message), hexToBytes(key))).toBe(isValid)
  if (secret === '') return
  expect(bytesToHex(xOnlyKeyOf(hexToBytes(secret)))).toBe(key)
  if (/^0+$/.test(aux))
    expect(bytesToHex(signSchnorr(hexToBytes(message), hexToBytes(secret)))).toBe(signature)
})

it('covers valid and invalid signatures', () => {
  expect(vectors.filter(({ isValid }) => isValid).length).toBeGreaterThan(3)
  expect(vectors.filter(({ isValid }) => !isValid).length).toBeGreaterThan(8)
})
