import { invalid } from '../errors.ts'

/** Throws invalid where a value is in a list twice: `duplicate inscriptionId 6f…i0 in items`. `name` is that of the values. */
export function refuseDuplicates(values: readonly string[], name: string, list: string): void {
  const seen = new Set<string>()
  for (const value of values) {
    if (seen.has(value)) throw invalid('duplicate-entry', `duplicate ${name} ${value} in ${list}`)
    seen.add(value)
  }
}
