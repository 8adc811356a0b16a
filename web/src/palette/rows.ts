import type { Answer } from '@ordbook/sdk/operations.ts'
import type { Place } from '@ordbook/web-ui/routing/places.ts'

export type Found = Answer<'search'>
export type FoundCollection = Found['collections'][number]

interface Target {
  to: Place
  params?: Record<string, string>
  search?: object
}

/** A result of the palette. `key` must not change while responses arrive, so that the active row does not move. */
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

/** Most rows per group. */
export const MAX_ROWS = 5

/** Collections that match a text: it begins a word of the name, or the slug. */
export function among<T extends { name: string; slug: string }>(all: readonly T[], text: string): T[] {
  const asked = text.toLowerCase()
  const begins = (name: string) => name === asked || name.startsWith(asked) || name.includes(` ${asked}`)
  const found = all.filter(({ name, slug }) => begins(name.toLowerCase()) || slug.startsWith(asked))
  return found.slice(0, MAX_ROWS)
}

/** Whether the text is a complete inscription id, txid, outpoint, satpoint or address. */
export const isWhole = (text: string): boolean =>
  /^[0-9a-f]{64}(i\d{1,10}|(:\d{1,10}){1,2})?$/i.test(text) ||
  /^((bc|tb|bcrt)1[a-z0-9]{20,}|[123mn][1-9a-zA-Z]{25,34})$/i.test(text)

/** Splits a name around the part that matches the query, for highlighting; null if the query is not a substring. */
export function matched(name: string, text: string): [before: string, match: string, after: string] | null {
  const asked = text.trim().toLowerCase()
  const at = name.toLowerCase().indexOf(asked)
  if (asked === '' || at < 0 || name.toLowerCase().length !== name.length) return null
  return [name.slice(0, at), name.slice(at, at + asked.length), name.slice(at + asked.length)]
}
