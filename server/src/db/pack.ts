import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'

/** Packs a value with bytes for a jsonb column: a byte array is written `{"hex": "..."}`. */
export function pack(value: object): any {
  return JSON.parse(
    JSON.stringify(value, (_key, each) => (each instanceof Uint8Array ? { hex: bytesToHex(each) } : each)),
  )
}

/** The inverse of `pack`. The caller names the type that it packed. */
export function unpack<T>(packed: unknown): T {
  if (Array.isArray(packed)) return packed.map((each) => unpack(each)) as T
  if (typeof packed !== 'object' || packed === null) return packed as T
  const entries = Object.entries(packed)
  if (entries.length === 1 && entries[0]![0] === 'hex') return hexToBytes(entries[0]![1] as string) as T
  return Object.fromEntries(entries.map(([key, each]) => [key, unpack(each)])) as T
}
