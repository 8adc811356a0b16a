/** Parsers of search parameters. Invalid values are treated as absent. */
export const textParam = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A non-negative integer amount. */
export const satsParam = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : undefined

export function traitsParam(value: unknown): Record<string, string[]> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const traits = Object.entries(value).flatMap(([type, values]) => {
    const texts = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
    return texts.length > 0 ? [[type, texts] as const] : []
  })
  return traits.length > 0 ? Object.fromEntries(traits) : undefined
}
