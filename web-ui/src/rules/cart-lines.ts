export interface CartLine {
  inscriptionId: string
  listingId: string
  slug: string
  name: string
  priceSats: number
  contentType: string | null
  /** Filters of the sweep that added the line, as JSON. */
  sweep?: string
}

/** Name of the cart in localStorage. */
export const CART = 'cart'
export const MAX_LINES = 60
/** Maximum number of inscriptions per purchase. */
export const MAX_AT_ONCE = 20

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function isJson(value: unknown): boolean {
  try {
    const parsed: unknown = JSON.parse(String(value))
    return isText(value) && typeof parsed === 'object' && parsed !== null
  } catch {
    return false
  }
}

function isLine(value: unknown): value is CartLine {
  if (typeof value !== 'object' || value === null) return false
  const line: Partial<Record<keyof CartLine, unknown>> = value
  return (
    [line.inscriptionId, line.listingId, line.slug, line.name].every(isText) &&
    Number.isSafeInteger(line.priceSats) &&
    Number(line.priceSats) > 0 &&
    (line.contentType === null || isText(line.contentType)) &&
    (line.sweep === undefined || isJson(line.sweep))
  )
}

/** Parses a stored cart; drops invalid lines. */
export const linesIn = (value: unknown): CartLine[] =>
  Array.isArray(value) ? withinLimits(value.filter(isLine)) : []

function withinLimits(lines: readonly CartLine[]): CartLine[] {
  const countBySlug = new Map<string, number>()
  const stay = lines.filter(({ slug }) => {
    const count = (countBySlug.get(slug) ?? 0) + 1
    countBySlug.set(slug, count)
    return count <= MAX_AT_ONCE
  })
  return stay.slice(0, MAX_LINES)
}

/** Adds lines up to the limits. A new line replaces an older line of its inscription. */
export function addLines(lines: readonly CartLine[], more: readonly CartLine[]): CartLine[] {
  const byId = new Map([...lines, ...more].map((line) => [line.inscriptionId, line]))
  const added = new Set(more.map((line) => line.inscriptionId))
  const stay = lines.filter((line) => !added.has(line.inscriptionId))
  const come = [...added].map((id) => byId.get(id)!)
  return withinLimits([...stay, ...come])
}

export const removeLines = (lines: readonly CartLine[], inscriptionIds: readonly string[]): CartLine[] =>
  lines.filter((line) => !inscriptionIds.includes(line.inscriptionId))

/** Splits a cart into purchases of one collection each. */
export function purchasesOf(lines: readonly CartLine[]): { slug: string; lines: CartLine[] }[] {
  const purchases = []
  for (const [slug, all] of Map.groupBy(lines, (line) => line.slug))
    for (let at = 0; at < all.length; at += MAX_AT_ONCE)
      purchases.push({ slug, lines: all.slice(at, at + MAX_AT_ONCE) })
  return purchases
}

/** A listing that is no longer for sale under this id. */
export interface GoneListing {
  listingId: string
  reason: string
  replacedBy: { listingId: string; priceSats: number } | null
}

export interface CartChange {
  line: CartLine
  reason: string
  priceSats: number | null
}

/** Removes unavailable listings and updates changed prices. */
export function healLines(
  lines: readonly CartLine[],
  gone: readonly GoneListing[],
): { lines: CartLine[]; changes: CartChange[] } {
  const changes: CartChange[] = []
  const healed = lines.flatMap((line) => {
    const found = gone.find((each) => each.listingId === line.listingId)
    if (!found) return line
    const { reason, replacedBy } = found
    changes.push({ line, reason, priceSats: replacedBy?.priceSats ?? null })
    return replacedBy ? { ...line, ...replacedBy } : []
  })
  return { lines: healed, changes }
}
