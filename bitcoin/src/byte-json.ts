import { bytesToHex, hexToBytes } from './bytes.ts'

/** A value with bytes as JSON: a byte array is written `{"hex": "..."}`. */
export const encodeBytes = (value: unknown): string =>
  JSON.stringify(value, (_key, each) => (each instanceof Uint8Array ? { hex: bytesToHex(each) } : each))

/**
 * The value of parsed JSON that `encodeBytes` wrote. Its type is up to the caller. Throws SyntaxError if bytes are not lower-case hex,
 * RangeError beyond `mostDepth` levels.
 */
export function reviveBytes(value: unknown, mostDepth = Number.POSITIVE_INFINITY): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (mostDepth === 0) throw new RangeError('the value has too many levels')
  const revive = (each: unknown) => reviveBytes(each, mostDepth - 1)
  if (Array.isArray(value)) return value.map(revive)
  const entries = Object.entries(value)
  const [name, hex] = entries[0] ?? []
  if (entries.length === 1 && name === 'hex' && typeof hex === 'string') {
    if (!/^(?:[0-9a-f]{2})*$/.test(hex)) throw new SyntaxError('bytes are written in lower-case hex')
    return hexToBytes(hex)
  }
  return Object.fromEntries(entries.map(([key, each]) => [key, revive(each)]))
}
