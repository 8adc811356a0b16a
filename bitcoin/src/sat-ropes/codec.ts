import { type Ropes, resized } from './ropes.ts'

/** Memory that `take` fills, because an allocation for each coin takes longer than filling it. */
const SLAB_BYTES = 2 ** 18
let slab = new Uint8Array(0)

/** Bytes of stored ranges and coins. */
export class ByteWriter {
  private bytes = new Uint8Array(2 ** 12)
  private at = 0

  reserve(count: number): void {
    let { length } = this.bytes
    while (this.at + count > length) length *= 2
    if (length > this.bytes.length) this.bytes = resized(this.bytes, new Uint8Array(length))
  }

  /** Appends a byte. Reserve it first. */
  byte(value: number): void {
    this.bytes[this.at++] = value
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  varint(value: number): void {
    this.reserve(10)
    for (; value >= 0x80; value = Math.floor(value / 128)) this.bytes[this.at++] = (value % 128) | 0x80
    this.bytes[this.at++] = value
  }

  /** Appends a range: a byte with the sizes of two numbers, then the numbers. Reserve 15 bytes first. */
  range(distance: number, sats: number): void {
    const header = this.at++
    const distanceSize = this.number(Math.abs(distance))
    const satsSize = this.number(sats)
    this.bytes[header] = (distance < 0 ? 0x80 : 0) | (distanceSize << 4) | satsSize
  }

  clear(): void {
    this.at = 0
  }

  /** Returns and removes the bytes. The result can share its buffer with others. */
  take(): Uint8Array {
    const length = this.at
    this.clear()
    if (length > SLAB_BYTES / 4) return this.bytes.slice(0, length)
    if (length > slab.length) slab = new Uint8Array(SLAB_BYTES)
    const bytes = slab.subarray(0, length)
    slab = slab.subarray(length)
    for (let i = 0; i < length; i++) bytes[i] = this.bytes[i]!
    return bytes
  }

  /** Appends a number with as few bytes as possible, little-endian. Returns the number of bytes. */
  private number(value: number): number {
    const from = this.at
    for (; value > 0; value = Math.floor(value / 256)) this.bytes[this.at++] = value % 256
    return this.at - from
  }
}

export class ByteReader {
  private readonly bytes: Uint8Array
  private at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length
  }

  byte(): number {
    return this.bytes[this.at++]!
  }

  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte()
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  take(count: number): Uint8Array {
    this.at += count
    return this.bytes.subarray(this.at - count, this.at)
  }

  number(size: number): number {
    let value = 0
    for (let i = this.at + size - 1; i >= this.at; i--) value = value * 256 + this.bytes[i]!
    this.at += size
    return value
  }
}

/**
 * Writes ranges. Each has a byte with the sizes of two numbers (three bits and four bits) and the sign of the first, then the numbers: the
 * distance from the end of the previous range, and the number of sats.
 */
export function writeRanges(writer: ByteWriter, { ranges }: Ropes, at: number, count: number): void {
  writer.reserve(count * 15)
  let end = 0
  for (let i = at * 2; i < (at + count) * 2; i += 2) {
    const [from, sats] = [ranges[i]!, ranges[i + 1]!]
    writer.range(from - end, sats)
    end = from + sats
  }
}

/** Appends stored ranges to `ropes`. Returns their number. */
function readRanges(ropes: Ropes, reader: ByteReader): number {
  const { top } = ropes
  let end = 0
  while (!reader.isAtEnd) {
    const header = reader.byte()
    const distance = reader.number((header >> 4) & 7)
    const sats = reader.number(header & 15)
    const from = end + (header & 0x80 ? -distance : distance)
    ropes.reserve(1)
    ropes.push(from, sats)
    end = from + sats
  }
  return ropes.top - top
}

/** First byte of a coin. */
const INLINE = 0
const CHUNKED = 1

/** Encodes a coin: its ranges, or a list of its chunks if it has several leaves. Throws MissingLeaf. */
export function encodeCoin(
  writer: ByteWriter,
  ropes: Ropes,
  root: number,
  chunkOf: (leaf: number) => number,
): Uint8Array {
  writer.clear()
  writer.reserve(1)
  if (ropes.isLeaf(root)) {
    writer.byte(INLINE)
    writeRanges(writer, ropes, ropes.at(root), ropes.count[root]!)
    return writer.take()
  }
  writer.byte(CHUNKED)
  let previous = 0
  ropes.forEachLeaf(root, (leaf) => {
    const id = chunkOf(leaf)
    writer.varint(id < previous ? (previous - id) * 2 + 1 : (id - previous) * 2)
    writer.varint(ropes.sats[leaf]!)
    writer.varint(ropes.count[leaf]!)
    previous = id
  })
  return writer.take()
}

/** Returns the rope of a stored coin. Its chunks are not loaded. */
export function decodeCoin(ropes: Ropes, bytes: Uint8Array): number {
  const reader = new ByteReader(bytes)
  if (reader.byte() === INLINE) {
    const at = ropes.top
    return ropes.build(at, readRanges(ropes, reader))
  }
  const leaves: number[] = []
  let id = 0
  while (!reader.isAtEnd) {
    const distance = reader.varint()
    id += distance % 2 === 1 ? -(distance - 1) / 2 : distance / 2
    const sats = reader.varint()
    leaves.push(ropes.leaf(-1, reader.varint(), sats, id))
  }
  return ropes.over(leaves)
}

/** Loads a leaf from its chunk. */
export function loadChunk(ropes: Ropes, leaf: number, bytes: Uint8Array): void {
  const at = ropes.top
  readRanges(ropes, new ByteReader(bytes))
  ropes.setLoaded(leaf, at)
}
