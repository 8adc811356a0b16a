import type { Answer } from '@ordbook/sdk/operations.ts'
import type { Place } from '@ordbook/web-ui/routing/places.ts'

export type Found = Answer<'search'>
export type FoundCollection = Found['collections'][number]

interface Target {
  to: Place
  params?: Record<string, string>
  search?: object
}

/** A result of the palette. `key` must be stable, so that the active row does not move. */
export interface Row {
  key: string
  target: Target
  name: string
  /** Text next to the name, and `below` it. */
  beside?: string
  below?: string
  picture?: { id: string; contentType: string | null; hint?: 'auto' | 'pixelated' | null }
  sats?: number | null
  verification?: { of: 'verified' | 'unverified'; sameNameAs?: { name: string } | null }
}

export interface Group {
  label: string
  rows: readonly Row[]
}

export const MAX_ROWS = 5

/** Returns the collections whose name has a word with this prefix, or whose slug has it. */
export function among<T extends { name: string; slug: string }>(all: readonly T[], text: string): T[] {
  const query = text.toLowerCase()
  const begins = (name: string) => name === query || name.startsWith(query) || name.includes(` ${query}`)
  const found = all.filter(({ name, slug }) => begins(name.toLowerCase()) || slug.startsWith(query))
  return found.slice(0, MAX_ROWS)
}

/** Returns true for a complete id, output, sat point or address. */
export const isWhole = (text: string): boolean =>
  /^[0-9a-f]{64}(i\d{1,10}|(:\d{1,10}){1,2})?$/i.test(text) ||
  /^((bc|tb|bcrt)1[a-z0-9]{20,}|[123mn][1-9a-zA-Z]{25,34})$/i.test(text)

/** Splits a name around a match, for highlighting. Returns null without a match. */
export function matched(name: string, text: string): [before: string, match: string, after: string] | null {
  const query = text.trim().toLowerCase()
  const at = name.toLowerCase().indexOf(query)
  if (query === '' || at < 0 || name.toLowerCase().length !== name.length) return null
  return [name.slice(0, at), name.slice(at, at + query.length), name.slice(at + query.length)]
}
