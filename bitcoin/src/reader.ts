import { bytesToHex } from './bytes.ts'
import type { Outpoint } from './outpoint.ts'
import type { TxOutput } from './transaction.ts'

/** Reads consensus serialization without copying. Throws RangeError at the end. */
export class Reader {
  readonly bytes: Uint8Array
  private readonly view: DataView
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  uint32(): number {
    const value = this.view.getUint32(this.at, true)
    this.at += 4
    return value
  }

  /** Reads a 64-bit amount. Exact below 2^53. */
  sats(): number {
    const low = this.view.getUint32(this.at, true)
    const high = this.view.getUint32(this.at + 4, true)
    this.at += 8
    return high * 0x1_0000_0000 + low
  }

  compactSize(): number {
    const first = this.bytes[this.at++]!
    if (first < 0xfd) return first
    if (first === 0xfd) {
      const value = this.view.getUint16(this.at, true)
      this.at += 2
      return value
    }
    if (first === 0xfe) return this.uint32()
    return this.sats()
  }

  varBytes(): Uint8Array {
    const length = this.compactSize()
    this.at += length
    if (this.at > this.bytes.length) throw new RangeError('unexpected end of input')
    return this.bytes.subarray(this.at - length, this.at)
  }

  outpoint(): Outpoint {
    const txid = bytesToHex(this.bytes.slice(this.at, this.at + 32).reverse())
    this.at += 32
    return { txid, vout: this.uint32() }
  }

  output(): TxOutput {
    const valueSats = this.sats()
    return { valueSats, script: this.varBytes().slice() }
  }
}
