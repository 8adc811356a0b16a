import { base32nopad } from '@scure/base'
import { concatBytes, hexToBytes } from './bytes.ts'

/**
 * BBQr (coinkite/BBQr): a file as a series of alphanumeric QR codes. Each code begins with `B$`, the encoding (H: hex, 2: base32, Z:
 * deflated base32), the file type (P: PSBT), the number of codes and the index of the code, both as two base-36 digits.
 */
const HEADER = /^B\$([H2Z])([A-Z])([0-9A-Z]{2})([0-9A-Z]{2})/
const HEADER_LENGTH = 8
const MAX_PARTS = 36 ** 2 - 1
/** Exceeds any PSBT that a wallet signs. Prevents hostile codes from inflating to an arbitrary size. */
const MAX_BYTES = 4_000_000

const digits = (value: number) => value.toString(36).toUpperCase().padStart(2, '0')

/** Encodes a PSBT as codes of at most `mostCharacters` each. Throws RangeError if it does not fit. */
export function bbqrOf(psbt: Uint8Array, mostCharacters: number): string[] {
  // Five bytes are eight base32 letters, so each part can be decoded separately.
  const each = Math.floor((mostCharacters - HEADER_LENGTH) / 8) * 5
  const count = Math.ceil(psbt.length / each)
  if (!(each > 0 && count > 0 && count <= MAX_PARTS))
    throw new RangeError(`${psbt.length} bytes do not fit into codes of ${mostCharacters} characters`)
  return Array.from({ length: count }, (_, n) => {
    const content = base32nopad.encode(psbt.subarray(n * each, (n + 1) * each))
    return `B$2P${digits(count)}${digits(n)}${content}`
  })
}

/**
 * Collects codes in any order, ignoring repeats, until a file is complete. `files` lists the accepted file types (P: PSBT, J: JSON, U:
 * text).
 */
export class BbqrReader {
  private readonly files: string
  private kind: string | null = null
  private parts = new Map<number, string>()
  /** Number of codes in the series; 0 before the first code is read. */
  count = 0

  constructor(files = 'P') {
    this.files = files
  }

  get seen(): number {
    return this.parts.size
  }

  /** Adds a code; a code of another series restarts the decoder. Returns false if it is not a BBQr code of the given types. */
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

  /** Returns the file, or null while codes are missing. Rejects if the codes are damaged. */
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
