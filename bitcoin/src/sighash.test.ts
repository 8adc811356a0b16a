import { Transaction } from '@scure/btc-signer'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { p2trScript, p2wpkhScript } from './address.ts'
import { xOnlyKeyOf } from './keys.ts'
import { segwitSighash, tapLeafHash, taprootSighash } from './sighash.ts'
import { decodeTransaction, encodeTransaction, type Tx, txidOf, vsizeOf } from './transaction.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const script = fc.oneof(
  bytes(32).map((seed) => p2trScript(xOnlyKeyOf(seed.map((byte) => byte | 1)))),
  bytes(33).map((key) => p2wpkhScript(key)),
)
const output = fc.record({ valueSats: fc.integer({ min: 0, max: 2_100_000_000_000_000 }), script })
const input = fc.record({
  txid: bytes(32).map((hash) => Buffer.from(hash).toString('hex')),
  vout: fc.integer({ min: 0, max: 100 }),
  sequence: fc.integer({ min: 0, max: 0xffffffff }),
})
const transaction = fc
  .record({
    version: fc.constantFrom(1, 2, 3),
    locktime: fc.integer({ min: 0, max: 1000 }),
    inputs: fc.array(input, { minLength: 1, maxLength: 4 }),
    outputs: fc.array(output, { minLength: 1, maxLength: 4 }),
  })
  .chain((tx) =>
    fc.tuple(fc.constant(tx), fc.array(output, { minLength: tx.inputs.length, maxLength: tx.inputs.length })),
  )
  .map(([tx, prevouts]) => ({
    tx: {
      ...tx,
      inputs: tx.inputs.map((txInput) => ({ ...txInput, scriptSig: new Uint8Array(), witness: [] })),
    } satisfies Tx,
    prevouts,
  }))

/** Computes the hashes with scure. */
const referenceOf = (tx: Tx) =>
  Transaction.fromRaw(encodeTransaction(tx), {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
    allowUnknownVersion: true,
    disableScriptCheck: true,
  }) as unknown as {
    id: string
    preimageWitnessV0(index: number, code: Uint8Array, type: number, amount: bigint): Uint8Array
    preimageWitnessV1(
      index: number,
      scripts: Uint8Array[],
      type: number,
      amounts: bigint[],
      separator?: number,
      leaf?: Uint8Array,
    ): Uint8Array
  }

// BIP-143 (SegWit version 0), BIP-341 and BIP-342 (taproot).
it('sighashes match scure', () => {
  fc.assert(
    fc.property(
      transaction,
      fc.nat(3),
      fc.constantFrom(0, 1, 2, 3, 0x81, 0x82, 0x83),
      bytes(40),
      ({ tx, prevouts }, at, type, leaf) => {
        const index = at % tx.inputs.length
        if ((type & 3) === 3 && index >= tx.outputs.length) return
        const reference = referenceOf(tx)
        const scripts = prevouts.map((prevout) => prevout.script)
        const amounts = prevouts.map((prevout) => BigInt(prevout.valueSats))
        expect(taprootSighash(tx, index, prevouts, type)).toEqual(
          reference.preimageWitnessV1(index, scripts, type, amounts),
        )
        expect(taprootSighash(tx, index, prevouts, type, { leafHash: tapLeafHash(leaf) })).toEqual(
          reference.preimageWitnessV1(index, scripts, type, amounts, undefined, leaf),
        )
        if (type === 0) return
        const { valueSats } = prevouts[index]!
        expect(segwitSighash(tx, index, leaf, valueSats, type)).toEqual(
          reference.preimageWitnessV0(index, leaf, type, BigInt(valueSats)),
        )
      },
    ),
  )
})

it('round-trips transactions', () => {
  fc.assert(
    fc.property(transaction, fc.array(bytes(70), { maxLength: 3 }), ({ tx }, witness) => {
      const signed: Tx = {
        ...tx,
        inputs: tx.inputs.map((txInput, i) => (i === 0 ? { ...txInput, witness } : txInput)),
      }
      expect(decodeTransaction(encodeTransaction(signed))).toEqual(signed)
      expect(txidOf(signed)).toBe(txidOf(tx))
      expect(txidOf(tx)).toBe(referenceOf(tx).id)
      expect(vsizeOf(signed)).toBeGreaterThanOrEqual(vsizeOf(tx))
    }),
  )
})
