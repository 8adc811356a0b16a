import { hash } from 'node:crypto'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { RawBlock } from '@ordbook/bitcoin/raw-block.ts'

/** A row of `utxos`, except its height. */
export interface UtxoRow {
  /** `scriptHashOf` of the script. */
  script: bigint
  /** `headOf` of the outpoint. */
  head: bigint
  vout: number
  valueSats: number
  /** The other 26 bytes of the txid, in serialization order. */
  txidRest: Uint8Array
}

/** A row with the height of the block that made the coin. */
export type StoredUtxo = UtxoRow & { height: number }

/** Bytes of the key of `scriptHashOf`. */
export const SCRIPT_KEY_BYTES = 16
export const HEAD_TXID_BYTES = 6
/** Bytes of `txidRest`. */
export const REST_BYTES = 32 - HEAD_TXID_BYTES
/** script, head, value_sats, vout, height, txid_rest. */
const PACKED_BYTES = 4 * 8 + 4 + REST_BYTES
const MAX_SCRIPT_BYTES = 10_000
const OP_RETURN = 0x6a

/** Returns a hash of scripts. With a secret key, nobody can make scripts that collide. */
export function scriptHasher(key: Uint8Array): (script: Uint8Array) => bigint {
  const buffer = Buffer.alloc(SCRIPT_KEY_BYTES + MAX_SCRIPT_BYTES)
  buffer.set(key)
  return (script) => {
    buffer.set(script, SCRIPT_KEY_BYTES)
    return hash('sha256', buffer.subarray(0, SCRIPT_KEY_BYTES + script.length), 'buffer').readBigInt64BE()
  }
}

const scratch = Buffer.alloc(8)

/**
 * Returns the first 48 bits of a txid (serialization order) and the low 16 of an output index. Without these, deleting the outputs of one
 * transaction to one script would take time in the square of their number.
 */
export function headOf(txid: Uint8Array, vout: number): bigint {
  scratch.set(txid.subarray(0, HEAD_TXID_BYTES))
  scratch.writeUInt16BE(vout & 0xffff, HEAD_TXID_BYTES)
  return scratch.readBigInt64BE()
}

/** Returns false for outputs that Core does not store, because nobody can spend them. */
const isSpendable = (script: Uint8Array) => script[0] !== OP_RETURN && script.length <= MAX_SCRIPT_BYTES

/** Returns the coins that a block adds to the UTXO set and those that it removes. Coins spent in their own block are in neither. */
export function changesOf(
  block: RawBlock,
  hashOf: (script: Uint8Array) => bigint,
): { made: UtxoRow[]; spent: UtxoRow[] } {
  const made = new Map<string, UtxoRow>()
  const spent: UtxoRow[] = []
  const rowOf = (txid: Uint8Array, vout: number, output: { valueSats: number; script: Uint8Array }) => ({
    script: hashOf(output.script),
    head: headOf(txid, vout),
    vout,
    valueSats: output.valueSats,
    txidRest: txid.slice(HEAD_TXID_BYTES),
  })
  for (const { txid, hash, prevouts, outpoints, outputs } of block.transactions) {
    // The coinbase has no prevouts.
    for (const [i, prevout] of prevouts.entries()) {
      const outpoint = outpoints[i]!
      if (made.delete(formatOutpoint(outpoint))) continue
      spent.push(rowOf(Buffer.from(outpoint.txid, 'hex').reverse(), outpoint.vout, prevout))
    }
    for (const [vout, output] of outputs.entries())
      if (isSpendable(output.script)) made.set(formatOutpoint({ txid, vout }), rowOf(hash, vout, output))
  }
  return { made: [...made.values()], spent }
}

/** Packs rows into the format of `utxo_blocks`. */
export function packUtxos(rows: readonly StoredUtxo[]): Uint8Array {
  const packed = Buffer.alloc(rows.length * PACKED_BYTES)
  let at = 0
  for (const { script, head, valueSats, vout, height, txidRest } of rows) {
    for (const value of [script, head, BigInt(valueSats), BigInt(vout)])
      at = packed.writeBigInt64BE(value, at)
    at = packed.writeInt32BE(height, at)
    packed.set(txidRest, at)
    at += REST_BYTES
  }
  return packed
}

/** Reverses `packUtxos`. */
export function unpackUtxos(packed: Uint8Array): StoredUtxo[] {
  const buffer = Buffer.from(packed.buffer, packed.byteOffset, packed.length)
  return Array.from({ length: buffer.length / PACKED_BYTES }, (_, n) => {
    const at = n * PACKED_BYTES
    return {
      script: buffer.readBigInt64BE(at),
      head: buffer.readBigInt64BE(at + 8),
      valueSats: Number(buffer.readBigInt64BE(at + 16)),
      vout: Number(buffer.readBigInt64BE(at + 24)),
      height: buffer.readInt32BE(at + 32),
      txidRest: buffer.subarray(at + 36, at + PACKED_BYTES),
    }
  })
}
