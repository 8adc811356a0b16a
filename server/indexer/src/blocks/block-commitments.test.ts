import { compactSize, hexToBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { encodeSpent, readBlock } from '@ordbook/bitcoin/raw-block.ts'
import { hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { expect, it } from 'vitest'
import { assertCommitted } from './block-commitments.ts'

const doubleHash = (bytes: Uint8Array) => sha256(sha256(bytes))

/** A transaction without witnesses. */
const transactionOf = (n: number): Uint8Array => {
  const input = {
    txid: n.toString(16).padStart(64, '0'),
    vout: 0,
    scriptSig: Uint8Array.of(0),
    sequence: 0,
    witness: [],
  }
  const tx: Tx = {
    version: 2,
    inputs: [input],
    outputs: [{ valueSats: 1, script: Uint8Array.of(0x51) }],
    locktime: 0,
  }
  return hexToBytes(hexOfTransaction(tx))
}

function blockOf(root: Uint8Array, transactions: readonly Uint8Array[]) {
  const header = joinBytes([new Uint8Array(36), root, new Uint8Array(12)])
  const spent = transactions.map((_, n) => (n === 0 ? [] : [{ valueSats: 1, script: Uint8Array.of(0x51) }]))
  return readBlock(joinBytes([header, compactSize(transactions.length), ...transactions]), encodeSpent(spent))
}

it('rejects repeated transactions, which have the same Merkle root (CVE-2012-2459)', () => {
  const transactions = [1, 2, 3].map(transactionOf)
  const [a, b, c] = transactions.map(doubleHash) as [Uint8Array, Uint8Array, Uint8Array]
  const pair = (left: Uint8Array, right: Uint8Array) => doubleHash(joinBytes([left, right]))
  const root = pair(pair(a, b), pair(c, c))
  const block = blockOf(root, transactions)
  expect(() => assertCommitted(block, block.hash)).not.toThrow()
  const repeated = blockOf(root, [...transactions, transactions[2]!])
  expect(repeated.hash).toBe(block.hash)
  expect(() => assertCommitted(repeated, block.hash)).toThrow(
    /the Merkle root of its transactions is different/,
  )
})
