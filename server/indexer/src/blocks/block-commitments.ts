import { hash } from 'node:crypto'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { RawBlock } from '@ordbook/bitcoin/raw-block.ts'

const HASH_BYTES = 32
const scratch = Buffer.alloc(HASH_BYTES)

/** Writes a double SHA-256. Strings are cheaper than a buffer for each hash, and OpenSSL is faster than the hash functions for browsers. */
function writeHash(target: Buffer, at: number, bytes: Uint8Array): void {
  scratch.write(hash('sha256', bytes, 'binary'), 'binary')
  target.write(hash('sha256', scratch, 'binary'), at, 'binary')
}

const MERKLE_ROOT_AT = 36
/** OP_RETURN, 36 bytes, and the tag of the witness commitment (BIP-141). */
const COMMITMENT = Buffer.from('6a24aa21a9ed', 'hex')
const TAG_BYTES = COMMITMENT.length
const COMMITMENT_BYTES = TAG_BYTES + HASH_BYTES

/**
 * Checks a block from an untrusted connection: its hash, the Merkle root of its transactions, and the commitment to their witnesses
 * (BIP-141). No hash covers the spent outputs. Stores the txids in the block. Throws BitcoinError.
 */
export function assertCommitted(block: RawBlock, blockHash: string): void {
  const difference = findDifference(block, blockHash)
  if (difference !== null)
    throw new BitcoinError(
      'block-malformed',
      `the block from the node does not match its hash: ${difference}`,
    )
}

function findDifference({ hash, bytes, layout, transactions }: RawBlock, blockHash: string): string | null {
  if (hash !== blockHash) return 'the header is different'
  const hashes = new Uint8Array(transactions.length * HASH_BYTES)
  const txids = Buffer.from(hashes.buffer)
  const stripped = new Uint8Array(bytes.length)
  let isSegwit = false
  for (const [n, transaction] of transactions.entries()) {
    writeHash(txids, n * HASH_BYTES, transaction.withoutWitness(stripped))
    isSegwit ||= transaction.hasWitness
  }
  layout.hashes = hashes
  const root = merkleRootOf(Buffer.from(txids))
  if (!root?.equals(bytes.subarray(MERKLE_ROOT_AT, MERKLE_ROOT_AT + HASH_BYTES)))
    return 'the Merkle root of its transactions is different'
  return isSegwit ? findWitnessDifference(transactions, Buffer.from(txids)) : null
}

/** `hashes` are the txids; overwritten. */
function findWitnessDifference(transactions: RawBlock['transactions'], hashes: Buffer): string | null {
  hashes.fill(0, 0, HASH_BYTES)
  for (const [n, transaction] of transactions.entries())
    if (n > 0 && transaction.hasWitness) writeHash(hashes, n * HASH_BYTES, transaction.bytes)
  const { outputs, tx } = transactions[0]!
  const committed = outputs
    .map(({ script }) => script)
    .findLast(
      (script) => script.length >= COMMITMENT_BYTES && COMMITMENT.equals(script.subarray(0, TAG_BYTES)),
    )
    ?.subarray(TAG_BYTES, COMMITMENT_BYTES)
  const [reserved] = tx.inputs[0]?.witness ?? []
  if (!committed || !reserved) return 'its witnesses have no commitment'
  const root = merkleRootOf(hashes)
  if (!root) return 'its witnesses repeat'
  const commitment = Buffer.alloc(HASH_BYTES)
  writeHash(commitment, 0, Buffer.concat([root, reserved]))
  return commitment.equals(committed) ? null : 'the commitment to its witnesses is different'
}

/**
 * Computes a Merkle root and overwrites the hashes. Returns null if two adjacent hashes are equal: a list with repeated transactions has
 * the same root (CVE-2012-2459).
 */
function merkleRootOf(hashes: Buffer): Buffer | null {
  for (let count = hashes.length / HASH_BYTES; count > 1; count = Math.ceil(count / 2))
    for (let n = 0; n < count; n += 2) {
      const at = n * HASH_BYTES
      const isPair = n + 1 < count
      if (isPair && hashes.compare(hashes, at, at + HASH_BYTES, at + HASH_BYTES, at + 2 * HASH_BYTES) === 0)
        return null
      const pair = isPair
        ? hashes.subarray(at, at + 2 * HASH_BYTES)
        : twice(hashes.subarray(at, at + HASH_BYTES))
      writeHash(hashes, at / 2, pair)
    }
  return hashes.length < HASH_BYTES ? null : hashes.subarray(0, HASH_BYTES)
}

const twice = (bytes: Buffer): Buffer => Buffer.concat([bytes, bytes])
