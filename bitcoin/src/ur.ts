import { concatBytes } from './bytes.ts'
import { bytesOfBytewords, bytewordsOf, crc32 } from './bytewords.ts'
import { CborReader } from './cbor-reader.ts'
import { fragmentsOf } from './fountain.ts'

/**
 * A code of Uniform Resources (BCR-2020-005, BCR-2024-001). A PSBT is a series of QR codes: the first ones contain one fragment each, later
 * ones combine fragments to recover missed ones.
 */
const CODE = /^ur:([a-z0-9-]{1,40})\/(?:(\d{1,9})-(\d{1,4})\/)?([a-z]+)$/i
/** UR types of a PSBT: of the first registry and its successor. */
const PSBT_TYPES = ['crypto-psbt', 'psbt']
/** Size limits for any PSBT and series. */
const MAX_BYTES = 4_000_000
const MAX_FRAGMENTS = 1000
/** Maximum unsolved parts. Limits the memory for hostile codes. */
const MAX_WAITING = 2 * MAX_FRAGMENTS

/** Encodes a PSBT as codes: each fragment, then as many combined parts. Throws RangeError. */
export function urOf(psbt: Uint8Array, mostCharacters: number): string[] {
  const message = concatBytes(cborHead(2, psbt.length), psbt)
  const single = `ur:crypto-psbt/${bytewordsOf(message)}`.toUpperCase()
  if (single.length <= mostCharacters) return [single]
  // Each fragment has a header and a checksum.
  const most = Math.floor((mostCharacters - 'ur:crypto-psbt/9999-9999/'.length) / 2) - 26 - 4
  const length = Math.ceil(message.length / Math.ceil(message.length / most))
  const count = Math.ceil(message.length / length)
  if (!(most > 0 && count <= MAX_FRAGMENTS))
    throw new RangeError(`${psbt.length} bytes do not fit into codes of ${mostCharacters} characters`)
  const checksum = crc32(message)
  const fragments = Array.from({ length: count }, (_, n) => {
    const fragment = new Uint8Array(length)
    fragment.set(message.subarray(n * length, (n + 1) * length))
    return fragment
  })
  return Array.from({ length: 2 * count }, (_, n) => {
    const number = n + 1
    const mixed = fragmentsOf(number, count, checksum).map((index) => fragments[index]!)
    const part = concatBytes(
      cborHead(4, 5),
      ...[number, count, message.length, checksum].map((value) => cborHead(0, value)),
      cborHead(2, length),
      mixed.reduce(xor),
    )
    return `ur:crypto-psbt/${number}-${count}/${bytewordsOf(part)}`.toUpperCase()
  })
}

/** Encodes the head of a CBOR value. */
function cborHead(major: number, value: number): Uint8Array {
  const [short, width] = value < 24 ? [value, 0] : value < 256 ? [24, 1] : value < 65536 ? [25, 2] : [26, 4]
  const bytes = new Uint8Array(1 + width)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, (major << 5) | short)
  if (width === 1) view.setUint8(1, value)
  if (width === 2) view.setUint16(1, value)
  if (width === 4) view.setUint32(1, value)
  return bytes
}

const xor = (one: Uint8Array, other: Uint8Array) => one.map((byte, n) => byte ^ other[n]!)

interface Part {
  number: number
  count: number
  length: number
  checksum: number
  fragment: Uint8Array
}

/** Decodes codes in any order. */
export class UrReader {
  private readonly types: readonly string[]
  private series: (Omit<Part, 'number' | 'fragment'> & { fragmentLength: number; type: string }) | null = null
  private solved = new Map<number, Uint8Array>()
  private waiting: { indexes: Set<number>; fragment: Uint8Array }[] = []
  private taken = new Set<number>()
  private whole: Uint8Array | null = null

  constructor(types: readonly string[] = PSBT_TYPES) {
    this.types = types
  }

  /** Number of fragments, or 0 before the first code. */
  get count(): number {
    return this.series?.count ?? 0
  }

  get seen(): number {
    return this.solved.size
  }

  /** Adds a code. Returns false if it is not a UR code of an accepted type. */
  take(text: string): boolean {
    const [, type, number, , words] = CODE.exec(text) ?? []
    if (!type || !this.types.includes(type.toLowerCase())) return false
    const content = bytesOfBytewords(words!)
    if (!content) return false
    const part = number === undefined ? alone(content) : partOf(content)
    if (!part) return false
    const { number: place, fragment, ...series } = part
    const { count, length, checksum } = series
    const isSame =
      this.series?.type === type.toLowerCase() &&
      this.series.count === count &&
      this.series.length === length &&
      this.series.checksum === checksum &&
      this.series.fragmentLength === fragment.length
    if (!isSame) {
      this.series = { ...series, fragmentLength: fragment.length, type: type.toLowerCase() }
      this.solved.clear()
      this.taken.clear()
      this.waiting = []
      this.whole = null
    }
    if (this.taken.has(place) || this.taken.size >= MAX_WAITING) return true
    this.taken.add(place)
    this.add({ indexes: new Set(fragmentsOf(place, count, checksum)), fragment })
    return true
  }

  /** Removes solved fragments from a part, and solves further parts. */
  private add(first: { indexes: Set<number>; fragment: Uint8Array }): void {
    const due = [first]
    for (let part = due.pop(); part; part = due.pop()) {
      for (const index of part.indexes) {
        const known = this.solved.get(index)
        if (!known) continue
        part.indexes.delete(index)
        part.fragment = xor(part.fragment, known)
      }
      const [index] = part.indexes
      if (index === undefined) continue
      if (part.indexes.size > 1) {
        this.waiting.push(part)
        continue
      }
      this.solved.set(index, part.fragment)
      due.push(...this.waiting.filter((other) => other.indexes.has(index)))
      this.waiting = this.waiting.filter((other) => !other.indexes.has(index))
    }
  }

  /** Returns the PSBT, or null if codes are missing. Rejects if a code is damaged. */
  async bytes(): Promise<Uint8Array | null> {
    const message = this.message()
    return message && new CborReader(message).byteString().slice()
  }

  /** Returns the CBOR message, or null if codes are missing. Throws RangeError if a code is damaged. */
  message(): Uint8Array | null {
    if (!this.series || this.seen < this.count) return null
    if (this.whole) return this.whole
    const { count, length, checksum } = this.series
    const joined = concatBytes(...Array.from({ length: count }, (_, n) => this.solved.get(n)!))
    const message = joined.subarray(0, length)
    if (crc32(message) !== checksum) throw new RangeError('the checksum of the codes does not match')
    this.whole = message
    return this.whole
  }
}

function alone(content: Uint8Array): Part {
  return { number: 1, count: 1, length: content.length, checksum: crc32(content), fragment: content }
}

/** Parses a part. Returns null if its numbers are inconsistent. */
function partOf(content: Uint8Array): Part | null {
  try {
    const reader = new CborReader(content)
    if (reader.array() !== 5) return null
    const [number, count, length, checksum] = [1, 2, 3, 4].map(() => reader.uint32()) as [
      number,
      number,
      number,
      number,
    ]
    const fragment = reader.byteString().slice()
    const fits =
      number > 0 &&
      count > 0 &&
      count <= MAX_FRAGMENTS &&
      length > 0 &&
      length <= MAX_BYTES &&
      fragment.length * (count - 1) < length &&
      length <= fragment.length * count
    return fits ? { number, count, length, checksum, fragment } : null
  } catch {
    return null
  }
}
