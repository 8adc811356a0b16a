import { invalid } from '@ordbook/db/process/errors.ts'

export const canonicalCoin = ({
  txid,
  vout,
  valueSats,
}: {
  txid: string
  vout: number
  valueSats: number
}) => ({
  txid,
  vout,
  valueSats,
})

/** Throws `invalid` unless a submit repeats the fields of its preflight. */
export function checkEchoes(before: object, after: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(after))
    if (!sameJson((before as Record<string, unknown>)[field], value))
      throw invalid('echo-mismatched', `${field} differs from the preflight.`)
}

/** Compares JSON values. Ignores the order of keys, because PostgreSQL reorders them. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  )
}
