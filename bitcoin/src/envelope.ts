import { bytesToHex, compactSize, concatBytes, joinBytes, littleEndian } from './bytes.ts'
import { bytesOfInscriptionId, inscriptionIdOfBytes } from './inscription-id.ts'
import { isWholeScript, ScriptReader } from './script-reader.ts'
import type { Tx } from './transaction.ts'

/**
 * An inscription in a witness, parsed like ord (ord handbook, "Inscriptions"). An envelope is OP_FALSE OP_IF "ord" ... OP_ENDIF in a
 * tapscript. Its pushes alternate tag and value. An empty tag starts the body.
 */
export interface Envelope {
  /** Index of the input. */
  input: number
  /** Index in the input. */
  offset: number
  /** Whether a push uses a number opcode (OP_1 to OP_16, OP_1NEGATE). */
  pushnum: boolean
  /** Whether another OP_FALSE precedes the envelope. */
  stutter: boolean
  body: Uint8Array | null
  contentType: string | null
  contentEncoding: string | null
  metaprotocol: string | null
  metadata: Uint8Array | null
  delegate: string | null
  parents: string[]
  /** CBOR properties (ord handbook, "Properties"). */
  properties: Uint8Array | null
  propertyEncoding: string | null
  /** Whether the pointer field is present, valid or not. */
  hasPointer: boolean
  /** Sat offset, or null if missing or invalid. */
  pointer: number | null
  duplicateField: boolean
  incompleteField: boolean
  unrecognizedEvenField: boolean
}

const OP_1NEGATE = 0x4f
const OP_1 = 0x51
const OP_16 = 0x60
const OP_IF = 0x63
const OP_ENDIF = 0x68
const PROTOCOL = [0x6f, 0x72, 0x64]

/** Returns the tapscript of a witness (BIP-341). */
function tapscriptOf(witness: readonly Uint8Array[]): Uint8Array | null {
  const annex = witness.length >= 2 && witness.at(-1)![0] === 0x50 ? 1 : 0
  return witness.length - annex >= 2 ? witness[witness.length - annex - 2]! : null
}

/** Returns all envelopes of a transaction. Takes linear time and memory. */
export function envelopesOf(tx: Tx): Envelope[] {
  const envelopes: Envelope[] = []
  for (const [input, { witness }] of tx.inputs.entries()) {
    const script = tapscriptOf(witness)
    if (script && isWholeScript(script)) readEnvelopes(script, input, envelopes)
  }
  return envelopes
}

function readEnvelopes(script: Uint8Array, input: number, envelopes: Envelope[]): void {
  const reader = new ScriptReader(script)
  const payload = new Payload(script)
  let offset = 0
  let stutter = false
  while (reader.next()) {
    if (!reader.isEmptyPush) continue
    if (!accepts(reader, isIf) || !accepts(reader, isProtocol)) {
      stutter = reader.isBeforeEmptyPush
      continue
    }
    payload.clear()
    let pushnum = false
    let closed = false
    while (reader.next()) {
      const { op } = reader
      if (reader.isPush) payload.push(reader.from, reader.to)
      else if (op === OP_ENDIF) {
        closed = true
        break
      } else if (op === OP_1NEGATE || (op >= OP_1 && op <= OP_16)) {
        pushnum = true
        payload.pushNumber(op)
      } else break
    }
    if (closed) envelopes.push(parsePayload(payload, { input, offset: offset++, pushnum, stutter }))
    else stutter = false
  }
}

/** Skips the next instruction if it matches. */
function accepts(reader: ScriptReader, matches: (reader: ScriptReader) => boolean): boolean {
  const { at } = reader
  if (reader.next() && matches(reader)) return true
  reader.at = at
  return false
}

const isIf = (reader: ScriptReader) => reader.op === OP_IF
const isProtocol = ({ script, from, to }: ScriptReader) =>
  to - from === 3 && PROTOCOL.every((byte, i) => script[from + i] === byte)

/** Values of OP_1NEGATE and OP_1 to OP_16. */
const NUMBERS = Uint8Array.of(0x81, 0, ...Array.from({ length: 16 }, (_, n) => n + 1))

/** Positions of an envelope's pushes. A 2 MB body can have a million pushes, so they are not copied. */
class Payload {
  length = 0
  private readonly script: Uint8Array
  /** Start and end of every push. A number opcode has the start -1 - its index in NUMBERS. */
  private places = new Int32Array(64)

  constructor(script: Uint8Array) {
    this.script = script
  }

  clear(): void {
    this.length = 0
  }

  push(from: number, to: number): void {
    if (2 * this.length === this.places.length) {
      const larger = new Int32Array(this.places.length * 2)
      larger.set(this.places)
      this.places = larger
    }
    this.places[2 * this.length] = from
    this.places[2 * this.length++ + 1] = to
  }

  pushNumber(op: number): void {
    this.push(-1 - (op - OP_1NEGATE), 0)
  }

  sizeAt(n: number): number {
    const from = this.places[2 * n]!
    return from < 0 ? 1 : this.places[2 * n + 1]! - from
  }

  at(n: number): Uint8Array {
    const from = this.places[2 * n]!
    return from < 0 ? NUMBERS.subarray(-1 - from, -from) : this.script.subarray(from, this.places[2 * n + 1]!)
  }

  join(pushes: Iterable<number>): Uint8Array {
    let size = 0
    for (const n of pushes) size += this.sizeAt(n)
    const joined = new Uint8Array(size)
    let at = 0
    for (const n of pushes) {
      const from = this.places[2 * n]!
      const end = at + this.sizeAt(n)
      // Copying short pushes byte by byte is faster than creating array views.
      if (from < 0) joined[at] = NUMBERS[-1 - from]!
      else if (end - at > 64) joined.set(this.at(n), at)
      else for (let i = at; i < end; i++) joined[i] = this.script[from + i - at]!
      at = end
    }
    return joined
  }
}

const TAG = {
  contentType: 1,
  pointer: 2,
  parent: 3,
  metadata: 5,
  metaprotocol: 7,
  contentEncoding: 9,
  delegate: 11,
  properties: 17,
  propertyEncoding: 19,
}

/** Fields of an envelope. Maps each one-byte tag to its pushes. */
class Fields {
  isAnyRepeated = false
  isAnyUnrecognizedEven = false
  private readonly payload: Payload
  private readonly byTag = new Map<number, number[]>()

  constructor(payload: Payload, end: number) {
    this.payload = payload
    // Longer tags are unknown. Only duplicates and even tags matter.
    const longTags = new Set<string>()
    for (let n = 0; n + 1 < end; n += 2) {
      const tag = payload.at(n)
      const isEven = tag[0]! % 2 === 0
      if (tag.length > 1) {
        const key = bytesToHex(tag)
        if (longTags.has(key)) this.isAnyRepeated = true
        else longTags.add(key)
        if (isEven) this.isAnyUnrecognizedEven = true
        continue
      }
      const values = this.byTag.get(tag[0]!)
      if (values) {
        this.isAnyRepeated = true
        values.push(n + 1)
      } else this.byTag.set(tag[0]!, [n + 1])
      // Like ord, treat a second pointer as an unrecognized field.
      if (isEven && (tag[0] !== TAG.pointer || values)) this.isAnyUnrecognizedEven = true
    }
  }

  first(tag: number): Uint8Array | null {
    const values = this.byTag.get(tag)
    return values ? this.payload.at(values[0]!) : null
  }

  /** Returns the valid inscription ids of a tag. */
  ids(tag: number): string[] {
    const ids: string[] = []
    for (const n of this.byTag.get(tag) ?? []) {
      const id = inscriptionIdOfBytes(this.payload.at(n))
      if (id !== null) ids.push(id)
    }
    return ids
  }

  joined(tag: number): Uint8Array | null {
    const values = this.byTag.get(tag)
    return values ? this.payload.join(values) : null
  }
}

/** Placeholder for an invalid encoding field. */
const NO_TEXT = '?'

function parsePayload(
  payload: Payload,
  position: Pick<Envelope, 'input' | 'offset' | 'pushnum' | 'stutter'>,
): Envelope {
  let end = 0
  while (end < payload.length && (end % 2 === 1 || payload.sizeAt(end) > 0)) end++
  const fields = new Fields(payload, end)
  const delegate = fields.first(TAG.delegate)
  const pointer = fields.first(TAG.pointer)
  const propertyEncoding = fields.first(TAG.propertyEncoding)
  return {
    ...position,
    body: end < payload.length ? payload.join(range(end + 1, payload.length)) : null,
    contentType: textOf(fields.first(TAG.contentType)),
    contentEncoding: textOf(fields.first(TAG.contentEncoding)),
    metaprotocol: textOf(fields.first(TAG.metaprotocol)),
    metadata: fields.joined(TAG.metadata),
    delegate: delegate && inscriptionIdOfBytes(delegate),
    parents: fields.ids(TAG.parent),
    properties: fields.joined(TAG.properties),
    propertyEncoding: propertyEncoding && (textOf(propertyEncoding) ?? NO_TEXT),
    hasPointer: pointer !== null,
    pointer: pointer && pointerOf(pointer),
    duplicateField: fields.isAnyRepeated,
    incompleteField: end % 2 === 1,
    unrecognizedEvenField: fields.isAnyUnrecognizedEven,
  }
}

const range = (from: number, to: number): Iterable<number> => ({
  *[Symbol.iterator]() {
    for (let n = from; n < to; n++) yield n
  },
})

function textOf(bytes: Uint8Array | null): string | null {
  if (!bytes) return null
  try {
    // PostgreSQL text cannot contain NUL.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** Parses a little-endian pointer. Bytes after the eighth must be zero. */
function pointerOf(bytes: Uint8Array): number | null {
  if (bytes.subarray(8).some((byte) => byte !== 0)) return null
  const value = bytes.subarray(0, 8).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
}

export interface NewInscription {
  contentType: string
  body: Uint8Array
  contentEncoding?: string
  metaprotocol?: string
  metadata?: Uint8Array
  parents?: string[]
  delegate?: string
  pointer?: number
  properties?: Uint8Array
  propertyEncoding?: string
}

/** Builds a reveal script with a key check and one envelope per inscription. */
export function buildRevealScript(xOnlyKey: Uint8Array, inscriptions: readonly NewInscription[]): Uint8Array {
  const utf8 = (text: string) => new TextEncoder().encode(text)
  const parts = [Uint8Array.of(0x20), xOnlyKey, Uint8Array.of(0xac)]
  for (const inscription of inscriptions) {
    const field = (tag: number, value: Uint8Array) => parts.push(Uint8Array.of(1, tag), pushOf(value))
    parts.push(Uint8Array.of(0x00, OP_IF, 3, ...PROTOCOL))
    field(TAG.contentType, utf8(inscription.contentType))
    if (inscription.pointer !== undefined) field(TAG.pointer, littleEndian(inscription.pointer, 8))
    for (const parent of inscription.parents ?? []) field(TAG.parent, bytesOfInscriptionId(parent))
    for (const piece of piecesOf(inscription.metadata ?? new Uint8Array())) field(TAG.metadata, piece)
    for (const piece of piecesOf(inscription.properties ?? new Uint8Array())) field(TAG.properties, piece)
    if (inscription.propertyEncoding) field(TAG.propertyEncoding, utf8(inscription.propertyEncoding))
    if (inscription.metaprotocol) field(TAG.metaprotocol, utf8(inscription.metaprotocol))
    if (inscription.contentEncoding) field(TAG.contentEncoding, utf8(inscription.contentEncoding))
    if (inscription.delegate) field(TAG.delegate, bytesOfInscriptionId(inscription.delegate))
    parts.push(Uint8Array.of(0x00))
    for (const piece of piecesOf(inscription.body)) parts.push(pushOf(piece))
    parts.push(Uint8Array.of(OP_ENDIF))
  }
  return joinBytes(parts)
}

function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 520) pieces.push(bytes.subarray(at, at + 520))
  return pieces
}

function pushOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= 0x4b) return concatBytes(Uint8Array.of(bytes.length), bytes)
  if (bytes.length <= 0xff) return concatBytes(Uint8Array.of(0x4c, bytes.length), bytes)
  return concatBytes(Uint8Array.of(0x4d), compactSize(bytes.length).subarray(1), bytes)
}
