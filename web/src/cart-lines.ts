/** A listing that the visitor means to buy. */
export interface CartLine {
  inscriptionId: string
  listingId: string
  slug: string
  name: string
  priceSats: number
  contentType: string | null
}

/** The longest cart. */
export const MOST_LINES = 60

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function isLine(value: unknown): value is CartLine {
  if (typeof value !== 'object' || value === null) return false
  const line: Partial<Record<keyof CartLine, unknown>> = value
  return (
    [line.inscriptionId, line.listingId, line.slug, line.name].every(isText) &&
    Number.isSafeInteger(line.priceSats) &&
    Number(line.priceSats) > 0 &&
    (line.contentType === null || isText(line.contentType))
  )
}

/** The lines of a kept cart; anything else in it is dropped. */
export const linesIn = (value: unknown): CartLine[] =>
  Array.isArray(value) ? value.filter(isLine).slice(0, MOST_LINES) : []

/** A cart with more lines: a later line replaces an earlier one of the same inscription. A full cart takes no more. */
export function addLines(lines: readonly CartLine[], more: readonly CartLine[]): CartLine[] {
  const byId = new Map([...lines, ...more].map((line) => [line.inscriptionId, line]))
  const added = new Set(more.map((line) => line.inscriptionId))
  const stay = lines.filter((line) => !added.has(line.inscriptionId))
  const come = [...added].map((id) => byId.get(id)!)
  return [...stay, ...come].slice(0, MOST_LINES)
}

/** A cart without some inscriptions. */
export const removeLines = (lines: readonly CartLine[], inscriptionIds: readonly string[]): CartLine[] =>
  lines.filter((line) => !inscriptionIds.includes(line.inscriptionId))
