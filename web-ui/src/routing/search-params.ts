/** Parsers for the search parameters of pages. An address may be typed by hand: anything that a page cannot use counts as absent. */
export const textParam = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A whole number that is not negative, in sats. */
export const satsParam = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : undefined

/** The values that are filtered for, by type of trait. */
export function traitsParam(value: unknown): Record<string, string[]> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const traits = Object.entries(value).flatMap(([type, values]) => {
    const texts = Array.isArray(values) ? values.filter((each) => typeof each === 'string') : []
    return texts.length > 0 ? [[type, texts] as const] : []
  })
  return traits.length > 0 ? Object.fromEntries(traits) : undefined
}
