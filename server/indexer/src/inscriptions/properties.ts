import { brotliDecompressSync } from 'node:zlib'
import { CborReader } from '@ordbook/bitcoin/cbor-reader.ts'
import { inscriptionIdOfBytes } from '@ordbook/bitcoin/inscription-id.ts'

export interface Attributes {
  title: string | null
  traits: { type: string; value: string }[]
}

export interface Properties extends Attributes {
  gallery: (Attributes & { inscriptionId: string })[]
}

const MAX_BYTES = 4_000_000
const MAX_RATIO = 30
const NOTHING: Properties = { title: null, traits: [], gallery: [] }

/**
 * Parses inscription properties (ord handbook, "Properties"): CBOR, optionally brotli. Matches ord 0.29 exactly, so that galleries are the
 * same on every market. Returns empty properties for invalid input.
 */
export function readProperties(bytes: Uint8Array | null, encoding: string | null): Properties {
  if (!bytes || (encoding !== null && encoding !== 'br')) return NOTHING
  try {
    const cbor = encoding
      ? brotliDecompressSync(bytes, { maxOutputLength: Math.min(bytes.length * MAX_RATIO, MAX_BYTES) })
      : bytes
    return propertiesOf(new CborReader(cbor), cbor.length)
  } catch {
    return NOTHING
  }
}

/** A gallery item: an inscription id, or an index whose txid is in a shared list. */
interface Item extends Attributes {
  id: string | null
  index: number
}

function propertiesOf(reader: CborReader, length: number): Properties {
  let items: Item[] = []
  let attributes = NO_ATTRIBUTES
  let txids = new Uint8Array()
  eachField(reader, {
    0: () => {
      items = itemsOf(reader, length)
    },
    1: () => {
      attributes = attributesOf(reader)
    },
    2: () => {
      txids = Uint8Array.from(reader.byteString())
    },
  })
  const gallery: Properties['gallery'] = []
  for (const [n, { id, index, ...item }] of items.entries()) {
    const txid = txids.subarray(n * 32, n * 32 + 32)
    const inscriptionId = txid.length === 32 ? `${inscriptionIdOfBytes(txid)!.slice(0, 64)}i${index}` : id
    // One item without an inscription invalidates the gallery.
    if (inscriptionId === null) return { ...attributes, gallery: [] }
    gallery.push({ ...item, inscriptionId })
  }
  return { ...attributes, gallery }
}

function itemsOf(reader: CborReader, length: number): Item[] {
  // Items take at least 32 bytes. The cap limits memory for input that claims more.
  const most = Math.floor(length / 32) + 1
  const items: Item[] = []
  const count = reader.array()
  for (let n = 0; count === null ? !reader.break() : n < count; n++) {
    const item = itemOf(reader)
    if (items.length < most) items.push(item)
  }
  return items
}

function itemOf(reader: CborReader): Item {
  let id: string | null = null
  let index = 0
  let attributes = NO_ATTRIBUTES
  eachField(reader, {
    0: () => {
      id = reader.null() ? null : idOf(reader.byteString())
    },
    1: () => {
      attributes = attributesOf(reader)
    },
    2: () => {
      index = reader.null() ? 0 : reader.uint32()
    },
  })
  return { ...attributes, id, index }
}

const NO_ATTRIBUTES: Attributes = { title: null, traits: [] }

function attributesOf(reader: CborReader): Attributes {
  let title: string | null = null
  let traits: Attributes['traits'] = []
  eachField(reader, {
    0: () => {
      title = reader.null() ? null : reader.text()
    },
    1: () => {
      traits = traitsOf(reader)
    },
  })
  return { title, traits }
}

function traitsOf(reader: CborReader): Attributes['traits'] {
  const count = reader.map()
  if (count === null) throw new TypeError('traits must have a definite length')
  const traits = new Map<string, string>()
  for (let n = 0; n < count; n++) {
    const type = reader.text()
    if (traits.has(type)) throw new TypeError('duplicate trait')
    traits.set(type, String(reader.scalar()))
  }
  return [...traits].map(([type, value]) => ({ type, value }))
}

/** Reads a map with integer keys. Skips unknown fields; the last duplicate wins. */
function eachField(reader: CborReader, fields: Record<number, () => void>): void {
  const count = reader.map()
  for (let n = 0; count === null ? !reader.break() : n < count; n++) {
    const read = fields[Number(reader.integer())]
    if (read) read()
    else reader.skip()
  }
}

function idOf(bytes: Uint8Array): string {
  const id = inscriptionIdOfBytes(bytes)
  if (!id) throw new TypeError('not an inscription id')
  return id
}
