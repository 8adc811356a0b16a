import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compactSize, concatBytes, hexToBytes } from './bytes.ts'
import { blockTransactionOf, encodeSpent, keyOfTxid, readBlock } from './raw-block.ts'
import { encodeTransaction, type Tx, txidOf } from './transaction.ts'

const bytes = (max: number) => fc.uint8Array({ maxLength: max })
const sats = fc.integer({ min: 0, max: 2_100_000_000_000_000 })
const uint32 = fc.integer({ min: 0, max: 0xffffffff })
const output = fc.record({ valueSats: sats, script: bytes(300) })
const input = fc.record({
  txid: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((hash) => Buffer.from(hash).toString('hex')),
  vout: uint32,
  scriptSig: bytes(120),
  sequence: uint32,
  witness: fc.array(bytes(600), { maxLength: 4 }),
})
const transaction = fc
  .record({
    version: fc.integer({ min: 1, max: 3 }),
    locktime: uint32,
    inputs: fc.array(fc.tuple(input, output), { minLength: 1, maxLength: 5 }),
    outputs: fc.array(output, { minLength: 1, maxLength: 300 }),
  })
  .map(({ inputs, ...rest }) => ({
    tx: { ...rest, inputs: inputs.map(([txInput]) => txInput) } as Tx,
    prevouts: inputs.map(([, spent]) => spent),
  }))

const encode = (transactions: readonly Tx[]) =>
  concatBytes(
    new Uint8Array(80).fill(7),
    compactSize(transactions.length),
    ...transactions.map((tx) => encodeTransaction(tx)),
  )

it('readBlock parses a block', () => {
  fc.assert(
    fc.property(fc.array(transaction, { minLength: 1, maxLength: 6 }), (all) => {
      const expected = all.map(({ tx, prevouts }, n) => ({ tx, prevouts: n === 0 ? [] : prevouts }))
      const raw = encode(expected.map(({ tx }) => tx))
      const block = readBlock(raw, encodeSpent(expected.map(({ prevouts }) => prevouts)))
      for (const [n, { tx, prevouts }] of expected.entries()) {
        const parsed = block.transactions[n]!
        expect(parsed.tx).toEqual(tx)
        expect(parsed.txid).toBe(txidOf(tx))
        expect(parsed.outputs).toEqual(tx.outputs)
        expect(parsed.outpoints).toEqual(tx.inputs.map(({ txid, vout }) => ({ txid, vout })))
        expect(parsed.prevouts).toEqual(prevouts)
        expect(Buffer.from(parsed.bytes).equals(Buffer.from(encodeTransaction(tx)))).toBe(true)
        if (n > 0) expect(parsed.feeSats).toBe(blockTransactionOf(tx, prevouts).feeSats)
        for (const { txid } of tx.inputs) expect(parsed.spendsOf(new Set([keyOfTxid(txid)]))).toBe(true)
        expect(parsed.spendsOf(new Set([1]))).toBe(false)
      }
    }),
    { numRuns: 200 },
  )
})

it('readBlock detects inscriptions in witnesses', () => {
  const plain = (witness: Uint8Array[]): Tx => ({
    version: 2,
    locktime: 0,
    inputs: [{ txid: 'ab'.repeat(32), vout: 0, scriptSig: new Uint8Array(), sequence: 0, witness }],
    outputs: [{ valueSats: 1, script: new Uint8Array() }],
  })
  const all = [[], [hexToBytes('00')], [hexToBytes('016f016f7264')], [hexToBytes('6f726f7265')]].map(plain)
  const spent = { valueSats: 1, script: new Uint8Array() }
  const block = readBlock(encode(all), encodeSpent(all.map((_, n) => (n === 0 ? [] : [spent]))))
  expect(block.transactions.map(({ mayInscribe }) => mayInscribe)).toEqual([false, false, true, false])
})

it('readBlock rejects malformed blocks', () => {
  const tx: Tx = {
    version: 2,
    locktime: 0,
    inputs: [{ txid: 'ab'.repeat(32), vout: 0, scriptSig: new Uint8Array(), sequence: 0, witness: [] }],
    outputs: [{ valueSats: 1, script: new Uint8Array(20) }],
  }
  const raw = encode([tx, tx])
  const spent = encodeSpent([[], [{ valueSats: 5, script: new Uint8Array(3) }]])
  expect(readBlock(raw, spent).transactions).toHaveLength(2)
  for (let length = 0; length < raw.length; length++)
    expect(() => readBlock(raw.subarray(0, length), spent)).toThrow(/block/)
  for (let length = 0; length < spent.length; length++)
    expect(() => readBlock(raw, spent.subarray(0, length))).toThrow(/block/)
  expect(() => readBlock(concatBytes(raw, new Uint8Array(1)), spent)).toThrow(
    'unexpected bytes after the block',
  )
  expect(() => readBlock(raw, encodeSpent([[]]))).toThrow('do not match a block of 2 transactions')
  expect(() => readBlock(raw, encodeSpent([[], []]))).toThrow('has 1 inputs and 0 spent outputs')
})
