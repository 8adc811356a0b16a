import type { DumpedCoin } from './dump-reader.ts'
import { HEAD_TXID_BYTES, headOf, REST_BYTES } from './utxo-row.ts'

/** The signature of COPY's binary format, without flags and extension. */
const SIGNATURE = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const END = Buffer.from([0xff, 0xff])
/** Column count; length and value of script, head, value_sats, vout, height, txid_rest. */
const ROW_BYTES = 2 + 6 * 4 + 4 * 8 + 4 + REST_BYTES

/** Collects rows for `COPY_UTXOS`. */
export class CopyRows {
  private buffer = Buffer.allocUnsafe(ROW_BYTES * 2048)
  private at = 0
  private readonly hashOf: (script: Uint8Array) => bigint

  constructor(hashOf: (script: Uint8Array) => bigint) {
    this.hashOf = hashOf
    this.at = SIGNATURE.copy(this.buffer)
  }

  add({ script, txid, vout, valueSats, height }: DumpedCoin): void {
    if (this.at + ROW_BYTES > this.buffer.length)
      this.buffer = Buffer.concat([this.buffer], this.buffer.length * 2)
    const { buffer } = this
    let at = buffer.writeUInt16BE(6, this.at)
    for (const value of [this.hashOf(script), headOf(txid, vout), BigInt(valueSats), BigInt(vout)])
      at = buffer.writeBigInt64BE(value, buffer.writeUInt32BE(8, at))
    at = buffer.writeInt32BE(height, buffer.writeUInt32BE(4, at))
    at = buffer.writeUInt32BE(REST_BYTES, at)
    buffer.set(txid.subarray(HEAD_TXID_BYTES), at)
    this.at = at + REST_BYTES
  }

  /** Returns the rows since the last call. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.at)
    this.buffer = Buffer.allocUnsafe(this.buffer.length)
    this.at = 0
    return taken
  }

  static readonly end: Buffer = END
}
