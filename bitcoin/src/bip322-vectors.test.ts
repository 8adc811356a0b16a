import { describe, expect, it } from 'vitest'
import { kindOfScript, scriptOfAddress } from './address.ts'
import { unsupportedForm, verifyMessage, virtualTransactions } from './bip322.ts'
import { txidOf } from './transaction.ts'
import basic from './vectors/bip322-basic.json' with { type: 'json' }
import generated from './vectors/bip322-generated.json' with { type: 'json' }

/** Test vectors of BIP-322 2.0.0. */
interface Vector {
  message: string
  address: string
  type: string
  bip322_signatures: string[]
}

const ACCEPTED = ['p2wpkh', 'p2tr', 'p2sh-p2wpkh']
const vectors: Vector[] = [...basic.simple, ...generated.simple, ...generated.full]
const scriptOf = ({ address }: { address: string }) => scriptOfAddress(address, 'mainnet')

describe.each(vectors.map((vector) => [vector.type, vector.message, vector] as const))(
  '%s: %s',
  (_, message, vector) => {
    const script = scriptOf(vector)
    it.each(vector.bip322_signatures)('%s', (signature) => {
      const isAccepted = ACCEPTED.includes(vector.type)
      expect(verifyMessage(script, message, signature)).toBe(isAccepted)
      expect(verifyMessage(script, `${message} `, signature)).toBe(false)
      // Sign-in rejects either the address type or the signature form.
      const isKindRejected = ['p2pkh', 'p2wsh'].includes(kindOfScript(script))
      if (isAccepted) expect(unsupportedForm(script, signature)).toBe(null)
      else if (!isKindRejected)
        expect(unsupportedForm(script, signature)).toBe('not by the key of the address alone')
    })
  },
)

it('covers every sign-in address type', () => {
  expect(vectors.map(({ type }) => type)).toEqual(expect.arrayContaining(ACCEPTED))
})

it.each(basic.tx_hashes)('computes the transaction hashes for $message', (vector) => {
  const { toSpend, toSign } = virtualTransactions(vector.message, scriptOf(vector))
  expect([txidOf(toSpend), txidOf(toSign)]).toEqual([vector.to_spend_tx_hash, vector.to_sign_tx_hash])
})

it.each([...basic.error, ...generated.error])('rejects: $description', (vector) => {
  expect(verifyMessage(scriptOf(vector), vector.message, vector.signature)).toBe(false)
})

it.each(generated.proof_of_funds)('rejects a $type proof of funds', (vector) => {
  for (const signature of vector.bip322_signatures) {
    expect(verifyMessage(scriptOf(vector), vector.message, signature)).toBe(false)
    expect(unsupportedForm(scriptOf(vector), signature)).toBe('a BIP-322 proof of funds (pof)')
  }
})
