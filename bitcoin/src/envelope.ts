import { bytesToHex, compactSize, concatBytes, littleEndian } from './bytes.ts'
import { bytesOfInscriptionId, inscriptionIdOfBytes } from './inscription-id.ts'
import type { Tx } from './transaction.ts'

/**
 * Inscriptions in witnesses, by the rules of the ord handbook ("Inscriptions") and of ord's parser: an envelope is
 * OP_FALSE OP_IF "ord" ... OP_ENDIF in the taproot leaf of an input, its pushes alternating tag and value until an
 * empty tag, after which every push is a piece of the body.
 */
export interface Envelope {
  /** Input whose witness carries it. */
  input: number
  /** How many envelopes of the same input stand before it. */
  offset: number
  /** A number opcode (OP_1 .. OP_16, OP_1NEGATE) was used as a push. */
  pushnum: boolean
  /** An OP_FALSE stood right before the envelope's own. */
  stutter: boolean
  body: Uint8Array | null
  contentType: string | null
  contentEncoding: string | null
  metaprotocol: string | null
  metadata: Uint8Array | null
  delegate: string | null
  parents: string[]
  /** CBOR of what it says of itself and of others (ord handbook, "Properties"), and how it is compressed. */
  properties: Uint8Array | null
  propertyEncoding: string | null
  /** The pointer field is present, sound or not. */
  hasPointer: boolean
  /** The sat offset that the pointer names; null when absent or unsound. */
  pointer: number | null
  duplicateField: boolean
  incompleteField: boolean
  unrecognizedEvenField: boolean
}

const OP_IF = 0x63
const OP_ENDIF = 0x68
const PROTOCOL = [0x6f, 0x72, 0x64]

type Instruction = { push: Uint8Array } | { op: number }

/** The script's instructions; null when a push runs past its end. */
function instructionsOf(script: Uint8Array): Instruction[] | null {
  const instructions: Instruction[] = []
  for (let at = 0; at < script.length; ) {
    const op = script[at++]!
    if (op > 0x4e) {
      instructions.push({ op })
      continue
    }
    let length = op
    if (op >= 0x4c) {
      const width = 1 << (op - 0x4c)
      if (at + width > script.length) return null
      length = 0
      for (let i = width - 1; i >= 0; i--) length = length * 256 + script[at + i]!
      at += width
    }
    if (at + length > script.length) return null
    instructions.push({ push: script.subarray(at, at + length) })
    at += length
  }
  return instructions
}

/** The tapscript of a witness: second from the end, once an annex is taken off (BIP-341). */
export function tapscriptOf(witness: readonly Uint8Array[]): Uint8Array | null {
  const annex = witness.length >= 2 && witness.at(-1)![0] === 0x50 ? 1 : 0
  return witness.length - annex >= 2 ? witness[witness.length - annex - 2]! : null
}

/** Every envelope of a transaction, in order. */
export function envelopesOf(tx: Tx): Envelope[] {
  return tx.inputs.flatMap((input, index) => {
    const script = tapscriptOf(input.witness)
    const instructions = script && instructionsOf(script)
    return instructions ? readEnvelopes(instructions, index) : []
  })
}

function readEnvelopes(instructions: Instruction[], input: number): Envelope[] {
  const envelopes: Envelope[] = []
  let at = 0
  let stutter = false
  const isEmptyPush = (i: number) => {
    const next = instructions[i]
    return next !== undefined && 'push' in next && next.push.length === 0
  }
  const isOp = (i: number, op: number) => {
    const next = instructions[i]
    return next !== undefined && 'op' in next && next.op === op
  }
  const isProtocol = (i: number) => {
    const next = instructions[i]
    return (
      next !== undefined &&
      'push' in next &&
      next.push.length === 3 &&
      PROTOCOL.every((byte, j) => next.push[j] === byte)
    )
  }
  while (at < instructions.length) {
    if (!isEmptyPush(at++)) continue
    if (!isOp(at, OP_IF)) {
      stutter = isEmptyPush(at)
      continue
    }
    at++
    if (!isProtocol(at)) {
      stutter = isEmptyPush(at)
      continue
    }
    at++
    const payload: Uint8Array[] = []
    let pushnum = false
    let closed = false
    while (at < instructions.length) {
      const instruction = instructions[at++]!
      if ('push' in instruction) payload.push(instruction.push)
      else if (instruction.op === OP_ENDIF) {
        closed = true
        break
      } else if (instruction.op === 0x4f || (instruction.op >= 0x51 && instruction.op <= 0x60)) {
        pushnum = true
        payload.push(Uint8Array.of(instruction.op === 0x4f ? 0x81 : instruction.op - 0x50))
      } else break
    }
    if (closed) envelopes.push(parsePayload(payload, { input, offset: envelopes.length, pushnum, stutter }))
    else stutter = false
  }
  return envelopes
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
/** The rune of an etching: known, so never unrecognised, and nothing to us. */
const RUNE_TAG = 13

function parsePayload(
  payload: Uint8Array[],
  position: Pick<Envelope, 'input' | 'offset' | 'pushnum' | 'stutter'>,
): Envelope {
  const bodyAt = payload.findIndex((push, i) => i % 2 === 0 && push.length === 0)
  const header = bodyAt === -1 ? payload : payload.slice(0, bodyAt)
  const fields = new Map<string, Uint8Array[]>()
  for (let i = 0; i + 1 < header.length; i += 2) {
    const tag = bytesToHex(header[i]!)
    fields.set(tag, [...(fields.get(tag) ?? []), header[i + 1]!])
  }
  const duplicateField = [...fields.values()].some((values) => values.length > 1)

  const takeAll = (tag: number): Uint8Array[] => {
    const key = bytesToHex(Uint8Array.of(tag))
    const values = fields.get(key) ?? []
    fields.delete(key)
    return values
  }
  // What is repeated stays behind after the first is taken: a second pointer is an unrecognised even field.
  const take = (tag: number): Uint8Array | null => {
    const key = bytesToHex(Uint8Array.of(tag))
    const [first, ...rest] = fields.get(key) ?? []
    if (rest.length > 0) fields.set(key, rest)
    else fields.delete(key)
    return first ?? null
  }
  const contentEncoding = textOf(take(TAG.contentEncoding))
  const contentType = textOf(take(TAG.contentType))
  const delegate = take(TAG.delegate)
  const metadata = takeAll(TAG.metadata)
  const metaprotocol = textOf(take(TAG.metaprotocol))
  const parents = takeAll(TAG.parent)
  const pointer = take(TAG.pointer)
  const properties = takeAll(TAG.properties)
  const propertyEncoding = textOf(take(TAG.propertyEncoding))
  take(RUNE_TAG)
  return {
    ...position,
    body: bodyAt === -1 ? null : concatBytes(...payload.slice(bodyAt + 1)),
    contentType,
    contentEncoding,
    metaprotocol,
    metadata: metadata.length > 0 ? concatBytes(...metadata) : null,
    delegate: delegate && inscriptionIdOfBytes(delegate),
    parents: parents.map(inscriptionIdOfBytes).filter((id) => id !== null),
    properties: properties.length > 0 ? concatBytes(...properties) : null,
    propertyEncoding,
    hasPointer: pointer !== null,
    pointer: pointer && pointerOf(pointer),
    duplicateField,
    incompleteField: header.length % 2 === 1,
    unrecognizedEvenField: [...fields.keys()].some(
      (tag) => tag !== '' && Number.parseInt(tag.slice(0, 2), 16) % 2 === 0,
    ),
  }
}

function textOf(bytes: Uint8Array | null): string | null {
  if (!bytes) return null
  try {
    // PostgreSQL text holds no NUL, and no media type does either.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** A pointer is little endian; bytes past the eighth must be zero. Beyond 2^53 it is past any output anyway. */
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

/** A reveal leaf: a key check, then one envelope for each inscription (ord handbook, "Inscriptions"). */
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
    parts.push(Uint8Array.of(0x00), ...piecesOf(inscription.body).map(pushOf), Uint8Array.of(OP_ENDIF))
  }
  return concatBytes(...parts)
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
