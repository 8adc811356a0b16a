import { brotliDecompressSync } from 'node:zlib'
import { inscriptionIdOfBytes } from '@ordbook/bitcoin/inscription-id.ts'
import { decode } from 'cborg'

/**
 * What an inscription says of itself and, as a gallery, of others (ord handbook, "Properties"): CBOR by a strict schema,
 * maybe compressed. What does not keep to it counts as nothing said, as for ord.
 */
export interface Attributes {
  title: string | null
  traits: { type: string; value: string }[]
}

export interface Properties extends Attributes {
  gallery: (Attributes & { inscriptionId: string })[]
}

const MOST_BYTES = 4_000_000
const MOST_RATIO = 30
const NOTHING: Properties = { title: null, traits: [], gallery: [] }

/** Reads properties as they were inscribed. */
export function readProperties(bytes: Uint8Array | null, encoding: string | null): Properties {
  if (!bytes || (encoding !== null && encoding !== 'br')) return NOTHING
  try {
    const cbor = encoding
      ? brotliDecompressSync(bytes, { maxOutputLength: Math.min(bytes.length * MOST_RATIO, MOST_BYTES) })
      : bytes
    return propertiesOf(
      decode(cbor, {
        useMaps: true,
        allowIndefinite: false,
        allowBigInt: true,
        rejectDuplicateMapKeys: true,
      }),
    )
  } catch {
    return NOTHING
  }
}

function propertiesOf(value: unknown): Properties {
  const map = mapOf(value)
  const txids = map.get(2)
  const items = map.get(0)
  const gallery = (Array.isArray(items) ? items : []).map((entry, n) => {
    const item = mapOf(entry)
    const packed = txids instanceof Uint8Array ? txids.subarray(n * 32, n * 32 + 32) : null
    const inline = item.get(0)
    const inscriptionId =
      packed?.length === 32
        ? `${inscriptionIdOfBytes(packed)!.slice(0, 64)}i${indexOf(item.get(2))}`
        : inline instanceof Uint8Array
          ? inscriptionIdOfBytes(inline)
          : null
    return { ...attributesOf(item.get(1)), inscriptionId }
  })
  // One item that names nothing, and it is no gallery.
  const named = gallery.flatMap(({ inscriptionId, ...item }) =>
    inscriptionId ? [{ ...item, inscriptionId }] : [],
  )
  return { ...attributesOf(map.get(1)), gallery: named.length === gallery.length ? named : [] }
}

function attributesOf(value: unknown): Attributes {
  if (value === undefined) return { title: null, traits: [] }
  const map = mapOf(value)
  const title = map.get(0)
  const traits = map.get(1)
  return {
    title: typeof title === 'string' ? title : null,
    traits: [...(traits === undefined ? [] : mapOf(traits))].map(([type, trait]) => {
      if (typeof type !== 'string' || !isTrait(trait)) throw new TypeError('not a trait')
      return { type, value: String(trait) }
    }),
  }
}

const isTrait = (value: unknown) =>
  value === null ||
  typeof value === 'boolean' ||
  typeof value === 'string' ||
  Number.isInteger(value) ||
  (typeof value === 'bigint' && BigInt.asIntN(64, value) === value)

function indexOf(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffffffff)
    throw new TypeError('not an index')
  return value
}

function mapOf(value: unknown): Map<unknown, unknown> {
  if (!(value instanceof Map)) throw new TypeError('not a map')
  return value
}
