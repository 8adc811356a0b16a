import { bytesToHex } from './bytes.ts'
import type { Outpoint } from './outpoint.ts'

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

  /** Reads a length. Throws RangeError unless it has the shortest form, like Core. */
  compactSize(): number {
    const first = this.bytes[this.at++]!
    if (first < 0xfd) return first
    let value: number
    if (first === 0xfd) {
      value = this.view.getUint16(this.at, true)
      this.at += 2
    } else value = first === 0xfe ? this.uint32() : this.sats()
    if (value < (first === 0xfd ? 0xfd : first === 0xfe ? 0x1_0000 : 0x1_0000_0000))
      throw new RangeError('a length is not in its shortest form')
    return value
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

  output(): { valueSats: number; script: Uint8Array } {
    const valueSats = this.sats()
    return { valueSats, script: this.varBytes().slice() }
  }
}
