import { bytesToHex, hexToBytes } from './bytes.ts'

/** Encodes a value as JSON, with byte arrays as `{"hex": "..."}`. */
export const encodeBytes = (value: unknown): string =>
  JSON.stringify(value, (_key, member) =>
    member instanceof Uint8Array ? { hex: bytesToHex(member) } : member,
  )

/** Converts parsed JSON from `encodeBytes` back. Throws SyntaxError for invalid hex and RangeError above `mostDepth` levels. */
export function reviveBytes(value: unknown, mostDepth = Number.POSITIVE_INFINITY): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (mostDepth === 0) throw new RangeError('the value is nested too deeply')
  const revive = (member: unknown) => reviveBytes(member, mostDepth - 1)
  if (Array.isArray(value)) return value.map(revive)
  const entries = Object.entries(value)
  const [name, hex] = entries[0] ?? []
  if (entries.length === 1 && name === 'hex' && typeof hex === 'string') {
    if (!/^(?:[0-9a-f]{2})*$/.test(hex)) throw new SyntaxError('bytes must be lower-case hex')
    return hexToBytes(hex)
  }
  return Object.fromEntries(entries.map(([key, member]) => [key, revive(member)]))
}
