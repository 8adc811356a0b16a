import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'

/** Deepest nesting that a message may have: the terms of a fill need eight levels. */
const MOST_DEPTH = 12

/** A value with bytes as JSON: a byte array is written `{"hex": "..."}`. */
export function encode(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    each instanceof Uint8Array ? { hex: bytesToHex(each) } : each,
  )
}

/**
 * The inverse of `encode`. Its result has no type yet: a schema checks it (`parse.ts`). Throws SyntaxError or RangeError
 * for any other text.
 */
export function decode(text: string): unknown {
  return revive(JSON.parse(text), 0)
}

function revive(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === MOST_DEPTH) throw new RangeError(`a message has at most ${MOST_DEPTH} levels`)
  if (Array.isArray(value)) return value.map((each) => revive(each, depth + 1))
  const entries = Object.entries(value)
  const [name, hex] = entries[0] ?? []
  if (entries.length === 1 && name === 'hex' && typeof hex === 'string') return bytesOf(hex)
  return Object.fromEntries(entries.map(([key, each]) => [key, revive(each, depth + 1)]))
}

function bytesOf(hex: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(hex)) throw new SyntaxError('bytes are written in lower-case hex')
  return hexToBytes(hex)
}
