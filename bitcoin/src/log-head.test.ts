import { expect, it } from 'vitest'
import { hexToBytes } from './bytes.ts'
import { sha256, verifySchnorr, xOnlyKeyOf } from './keys.ts'
import { signLogHead, verifyLogHead } from './log-head.ts'

const secret = sha256(new TextEncoder().encode('market'))
const key = xOnlyKeyOf(secret)
const head = { network: 'regtest', position: 7, hash: 'ab'.repeat(32) }

it('rejects a head signed with another key', () => {
  const signature = signLogHead(head, secret)
  expect(verifyLogHead(head, signature, key)).toBe(true)
  for (const other of [
    { ...head, network: 'main' },
    { ...head, position: 8 },
    { ...head, hash: 'cd'.repeat(32) },
  ])
    expect(verifyLogHead(other, signature, key)).toBe(false)
  expect(verifyLogHead(head, signature, xOnlyKeyOf(sha256(secret)))).toBe(false)
  expect(verifyLogHead(head, signature.slice(1), key)).toBe(false)
})

it('signs a tagged hash', () => {
  expect(verifySchnorr(signLogHead(head, secret), hexToBytes(head.hash), key)).toBe(false)
})
