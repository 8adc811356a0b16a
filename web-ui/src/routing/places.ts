import { satsParam, textParam, traitsParam } from './search-params.ts'

export interface CollectionSearch {
  tab?: string | undefined
  kind?: string | undefined
  sort?: string | undefined
  listed?: boolean | undefined
  offered?: boolean | undefined
  traits?: Record<string, string[]> | undefined
  min?: number | undefined
  max?: number | undefined
  satribute?: string | undefined
  q?: string | undefined
}

interface TabSearch {
  tab?: string | undefined
}
interface HoldingsSearch extends TabSearch {
  collection?: string | undefined
  /** Which listings are shown. */
  show?: string | undefined
}
interface NewTradeSearch {
  give?: string | undefined
  /** Address of the counterparty. */
  with?: string | undefined
}
interface ActivitySearch {
  kind?: string | undefined
  slug?: string | undefined
  min?: number | undefined
  watched?: boolean | undefined
}
interface RankingSearch {
  window?: string | undefined
  sort?: string | undefined
}
interface CollectionsSearch extends RankingSearch {
  q?: string | undefined
  watched?: boolean | undefined
}

type Raw = Record<string, unknown>
const none = (): Record<never, never> => ({})
const tab = (raw: Raw): TabSearch => ({ tab: textParam(raw.tab) })
const holdings = (raw: Raw): HoldingsSearch => ({
  tab: textParam(raw.tab),
  collection: textParam(raw.collection),
  show: textParam(raw.show),
})

const ranking = (raw: Raw): RankingSearch => ({ window: textParam(raw.window), sort: textParam(raw.sort) })

/** Pages by path pattern, with parsers of their search parameters. */
export const PLACES = {
  '/': ranking,
  '/collections': (raw: Raw): CollectionsSearch => ({
    ...ranking(raw),
    q: textParam(raw.q),
    watched: raw.watched === true ? true : undefined,
  }),
  '/collection/$slug': (raw: Raw): CollectionSearch => ({
    tab: textParam(raw.tab),
    kind: textParam(raw.kind),
    sort: textParam(raw.sort),
    listed: raw.listed === true ? true : undefined,
    offered: raw.offered === true ? true : undefined,
    traits: traitsParam(raw.traits),
    min: satsParam(raw.min),
    max: satsParam(raw.max),
    satribute: textParam(raw.satribute),
    q: textParam(raw.q),
  }),
  '/inscription/$id': tab,
  '/wallet': holdings,
  '/inbox': none,
  '/address/$address': holdings,
  '/trades': tab,
  // Must precede `/trades/$id`, which matches this path too.
  '/trades/new': (raw: Raw): NewTradeSearch => ({ give: textParam(raw.give), with: textParam(raw.with) }),
  '/trades/$id': none,
  '/receipt/$txid': none,
  '/activity': (raw: Raw): ActivitySearch => ({
    kind: textParam(raw.kind),
    slug: textParam(raw.slug),
    min: satsParam(raw.min),
    watched: raw.watched === true ? true : undefined,
  }),
  '/market': none,
  '/how': none,
} satisfies Record<string, (raw: Raw) => object>

export type Place = keyof typeof PLACES
export type SearchOf<P extends Place> = ReturnType<(typeof PLACES)[P]>
export type ParamsOf<P extends Place> = P extends `${string}/$${infer Name}`
  ? Record<Name, string>
  : Record<never, never>

export interface Found {
  place: Place
  params: Record<string, string>
}

/** Finds the page of a path. Returns null if no page matches. */
export function placeOf(pathname: string): Found | null {
  const parts = partsOf(pathname)
  for (const place of Object.keys(PLACES) as Place[]) {
    const pattern = partsOf(place)
    if (pattern.length !== parts.length) continue
    const params: Record<string, string> = {}
    const isMatch = pattern.every((each, n) => {
      if (!each.startsWith('$')) return each === parts[n]
      const value = decoded(parts[n]!)
      if (value === null) return false
      params[each.slice(1)] = value
      return true
    })
    if (isMatch) return { place, params }
  }
  return null
}

const partsOf = (pathname: string) => pathname.split('/').filter((part) => part !== '')

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Builds the path of a page from its parameters. */
export const pathOf = (place: Place, params: Readonly<Record<string, string>> = {}): string =>
  place.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/** Parses search parameters. Invalid JSON is read as text. If a name is repeated, the first value is used. */
export function searchIn(query: string): Raw {
  const raw = new Map<string, unknown>()
  for (const [name, text] of new URLSearchParams(query)) if (!raw.has(name)) raw.set(name, jsonOrText(text))
  return Object.fromEntries(raw)
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Builds the query string that `searchIn` parses. */
export function queryOf(search: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined) continue
    const isPlain = typeof value === 'string' && jsonOrText(value) === value
    query.set(name, isPlain ? value : JSON.stringify(value))
  }
  const text = query.toString()
  return text && `?${text}`
}
