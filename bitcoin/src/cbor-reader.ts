/**
 * Reads CBOR (RFC 8949) as leniently as ord. Ignores trailing bytes and misplaced breaks in skipped values. Throws CborError for an
 * unexpected type. Does not recurse, and allocates no more than the input size.
 */
export class CborReader {
  private readonly bytes: Uint8Array
  private at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Opens an array. Returns its length, or null if indefinite. */
  array(): number | null {
    return this.open(ARRAY)
  }

  /** Opens a map. Returns its number of pairs, or null if indefinite. */
  map(): number | null {
    return this.open(MAP)
  }

  /** Skips a break. Returns false if there is none. */
  break(): boolean {
    if (this.peek() !== BREAK) return false
    this.at++
    return true
  }

  /** Skips a null. Returns false if there is none. */
  null(): boolean {
    if (this.peek() !== NULL) return false
    this.at++
    return true
  }

  /** Reads a tag number. Returns null without a tag. */
  tag(): number | null {
    return this.peek() >> 5 === TAG ? Number(this.argument(this.byte() & 31)) : null
  }

  /** Reads a boolean, null, text or signed 64-bit integer. */
  scalar(): boolean | null | string | bigint {
    const next = this.peek()
    if (next >> 5 === TEXT) return this.text()
    if (next >> 5 <= NEGATIVE) return this.integer()
    this.at++
    if (next === NULL) return null
    if (next === 0xf4 || next === 0xf5) return next === 0xf5
    throw new CborError('expected a scalar')
  }

  integer(): bigint {
    const first = this.byte()
    const value = this.argument(first & 31)
    const signed = first >> 5 === NEGATIVE ? -1n - value : value
    if (first >> 5 > NEGATIVE || BigInt.asIntN(64, signed) !== signed)
      throw new CborError('expected a 64-bit integer')
    return signed
  }

  uint32(): number {
    const value = this.integer()
    if (value < 0n || value > 0xffffffffn) throw new CborError('expected an unsigned 32-bit integer')
    return Number(value)
  }

  /** Reads a byte string of definite length. */
  byteString(): Uint8Array {
    return this.piece(BYTES)
  }

  /** Reads a UTF-8 text of definite length. */
  text(): string {
    return utf8Of(this.piece(TEXT))
  }

  /**
   * Skips one value. Counts items instead of matching breaks, like ord: a break closes the innermost indefinite-length value, or counts as
   * a value.
   */
  skip(): void {
    /** Remaining values and open indefinite-length values of the current level. */
    let due = 1
    let open = 0
    /** Remaining values per outer level; null for an indefinite-length value. */
    const outer: (number | null)[] = []
    while (due > 0 || open > 0 || outer.length > 0) {
      const first = this.peek()
      const kind = first >> 5
      const isBare = due === 0 && open === 0
      if (kind === TAG) {
        this.at++
        this.argument(first & 31)
        continue
      }
      if (kind <= NEGATIVE) {
        this.at++
        this.argument(first & 31)
      } else if (kind === BYTES || kind === TEXT) this.skipString(kind)
      else if (kind === ARRAY || kind === MAP) {
        const count = this.open(kind)
        if (count === null) {
          if (isBare) outer.push(null)
          else if (due < 2) open++
          else {
            for (; open > 0; open--) outer.push(null)
            outer.push(due - 1, null)
            due = 0
          }
        } else if (count > 0) {
          const values = kind === MAP ? 2 * count : count
          if (isBare) outer.push(values)
          else due += values
        }
      } else if (first === BREAK) {
        this.at++
        if (!isBare) open = Math.max(0, open - 1)
        else if (outer.at(-1) === null) outer.pop()
      } else {
        this.at++
        this.argument(first & 31)
      }
      if (due > 0 || open > 0) {
        due = Math.max(0, due - 1)
        continue
      }
      while (outer.at(-1) === 0) outer.pop()
      if (outer.length === 0) return
      const last = outer.at(-1)!
      if (last !== null) outer[outer.length - 1] = last - 1
    }
  }

  private skipString(kind: number): void {
    if ((this.peek() & 31) !== 31) {
      const piece = this.piece(kind)
      if (kind === TEXT) utf8Of(piece)
      return
    }
    this.at++
    while (!this.break()) {
      const piece = this.piece(kind)
      if (kind === TEXT) utf8Of(piece)
    }
  }

  private open(kind: number): number | null {
    const first = this.byte()
    if (first >> 5 !== kind) throw new CborError('unexpected type')
    // Counts above 2^53 lose precision, but no input is that long.
    return (first & 31) === 31 ? null : Number(this.argument(first & 31))
  }

  private piece(kind: number): Uint8Array {
    const first = this.byte()
    if (first >> 5 !== kind) throw new CborError('unexpected type')
    const length = Number(this.argument(first & 31))
    if (length > this.bytes.length - this.at) throw new CborError('unexpected end of input')
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /** Reads the argument encoded by the low five bits of an initial byte. */
  private argument(low: number): bigint {
    if (low < 24) return BigInt(low)
    if (low > 27) throw new CborError('invalid length')
    let value = 0n
    for (let n = 1 << (low - 24); n > 0; n--) value = (value << 8n) | BigInt(this.byte())
    return value
  }

  private peek(): number {
    const next = this.bytes[this.at]
    if (next === undefined) throw new CborError('unexpected end of input')
    return next
  }

  private byte(): number {
    const next = this.peek()
    this.at++
    return next
  }
}

/** Invalid CBOR, or an unexpected type. */
class CborError extends Error {}

/** Major types. */
const NEGATIVE = 1
const BYTES = 2
const TEXT = 3
const ARRAY = 4
const MAP = 5
const TAG = 6

const NULL = 0xf6
const BREAK = 0xff

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function utf8Of(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new CborError('invalid UTF-8')
  }
}
