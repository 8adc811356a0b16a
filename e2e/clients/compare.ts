import { isDeepStrictEqual } from 'node:util'

/** Describes why a parsed response is not what the market sent. Empty lists would test nothing. */
export function problemOf(
  { operation, body }: { operation: string; body: object },
  parsed: unknown,
): string | null {
  if (Object.values(body).some((member) => Array.isArray(member) && member.length === 0))
    return `${operation}: the market returned no rows`
  const [sent, read] = [normalized(body), normalized(parsed)]
  if (isDeepStrictEqual(sent, read)) return null
  return `${operation}: parsed ${JSON.stringify(read)} of ${JSON.stringify(sent)}`
}

/** Clients may write times in another form, and omit null. */
function normalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalized)
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, normalized(member)]])),
  )
}
