/** Parsers for the search parameters of pages. An address may be typed by hand: anything that a page cannot use counts as absent. */
export const textParam = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Most inscriptions that an address names: as many as one side of a trade gives. */
export const MOST_IDS = 50

/** Ids of inscriptions, with commas between them. */
export function idsParam(value: unknown): string | undefined {
  const ids = typeof value === 'string' ? value.split(',') : []
  const isFit = ids.length <= MOST_IDS && ids.every((id) => /^[0-9a-f]{64}i\d{1,10}$/.test(id))
  return isFit && ids.length > 0 ? ids.join(',') : undefined
}

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
