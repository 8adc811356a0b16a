import { base32nopad } from '@scure/base'
import { concatBytes, hexToBytes } from './bytes.ts'

/**
 * Header of a BBQr code (coinkite/BBQr): `B$`, the encoding (H: hex, 2: base32, Z: deflated base32), the file type (P: PSBT), and the
 * number and index of the code in base 36.
 */
const HEADER = /^B\$([H2Z])([A-Z])([0-9A-Z]{2})([0-9A-Z]{2})/
const HEADER_LENGTH = 8
const MAX_PARTS = 36 ** 2 - 1
/** Size limit for decoded files. Protects against decompression bombs. */
const MAX_BYTES = 4_000_000

const digits = (value: number) => value.toString(36).toUpperCase().padStart(2, '0')

/** Encodes a PSBT as QR codes. Throws RangeError if it is too large. */
export function bbqrOf(psbt: Uint8Array, mostCharacters: number): string[] {
  // Align parts to base32 groups, so that each part decodes separately.
  const each = Math.floor((mostCharacters - HEADER_LENGTH) / 8) * 5
  const count = Math.ceil(psbt.length / each)
  if (!(each > 0 && count > 0 && count <= MAX_PARTS))
    throw new RangeError(`${psbt.length} bytes do not fit into codes of ${mostCharacters} characters`)
  return Array.from({ length: count }, (_, n) => {
    const content = base32nopad.encode(psbt.subarray(n * each, (n + 1) * each))
    return `B$2P${digits(count)}${digits(n)}${content}`
  })
}

/** Decodes BBQr codes in any order. `files` lists the accepted file types (P: PSBT, J: JSON, U: text). */
export class BbqrReader {
  private readonly files: string
  private kind: string | null = null
  private parts = new Map<number, string>()
  /** Number of codes in the series, or 0 before the first code. */
  count = 0

  constructor(files = 'P') {
    this.files = files
  }

  get seen(): number {
    return this.parts.size
  }

  /** Adds a code. Returns false if it is not a BBQr code of an accepted type. */
  take(text: string): boolean {
    const [, encoding, file, count, index] = HEADER.exec(text) ?? []
    const place = Number.parseInt(index!, 36)
    if (!file || !this.files.includes(file) || !(place < Number.parseInt(count!, 36))) return false
    const kind = `${encoding}${file}${count}`
    const content = text.slice(HEADER_LENGTH)
    const before = this.parts.get(place)
    if (this.kind !== kind || (before !== undefined && before !== content)) {
      this.kind = kind
      this.count = Number.parseInt(count!, 36)
      this.parts.clear()
    }
    this.parts.set(place, content)
    return true
  }

  /** Returns the file, or null if codes are missing. Rejects if a code is damaged. */
  async bytes(): Promise<Uint8Array | null> {
    if (this.kind === null || this.seen < this.count) return null
    const contents = Array.from({ length: this.count }, (_, n) => this.parts.get(n)!)
    const decode = this.kind.startsWith('H')
      ? (text: string) => hexToBytes(text.toLowerCase())
      : base32nopad.decode
    const bytes = concatBytes(...contents.map(decode))
    return this.kind.startsWith('Z') ? inflate(bytes) : bytes
  }
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return concatBytes(...chunks)
    length += value.length
    if (length > MAX_BYTES) throw new RangeError(`the PSBT is larger than ${MAX_BYTES} bytes`)
    chunks.push(value)
  }
}
