import { satsParam, textParam, traitsParam } from './search-params.ts'

/** The part of a collection page's address that says what it shows. */
export interface CollectionSearch {
  tab?: string | undefined
  /** The kind of its activity that is shown. */
  kind?: string | undefined
  sort?: string | undefined
  listed?: boolean | undefined
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
  /** The slug of the collection whose items are shown. */
  collection?: string | undefined
}
interface NewTradeSearch {
  /** The ids of inscriptions to give, with commas between them. */
  give?: string | undefined
  /** The address of the other side, whose items are shown to choose from. */
  with?: string | undefined
}
interface ActivitySearch {
  kind?: string | undefined
  /** Of the collection whose activity is shown. */
  slug?: string | undefined
  /** The least price in sats. */
  min?: number | undefined
  /** Whether the collections of the watchlist are shown alone. */
  watched?: boolean | undefined
}
interface RankingSearch {
  window?: string | undefined
  sort?: string | undefined
}
interface CollectionsSearch extends RankingSearch {
  q?: string | undefined
  /** Whether the collections of the watchlist are shown alone. */
  watched?: boolean | undefined
}

type Raw = Record<string, unknown>
const none = (): Record<never, never> => ({})
const tab = (raw: Raw): TabSearch => ({ tab: textParam(raw.tab) })
const holdings = (raw: Raw): HoldingsSearch => ({
  tab: textParam(raw.tab),
  collection: textParam(raw.collection),
})

const ranking = (raw: Raw): RankingSearch => ({ window: textParam(raw.window), sort: textParam(raw.sort) })

/** The address of each page, and how it reads its search parameters. `$name` stands for one part of a path. */
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
    traits: traitsParam(raw.traits),
    min: satsParam(raw.min),
    max: satsParam(raw.max),
    satribute: textParam(raw.satribute),
    q: textParam(raw.q),
  }),
  '/inscription/$id': none,
  '/wallet': holdings,
  '/address/$address': holdings,
  '/trades': tab,
  // Stands before the pattern that fits it too.
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

/** The page that a path leads to, with the parts of the path that `$` stands for. */
export interface Found {
  place: Place
  params: Record<string, string>
}

/** The page of a path; null where there is none. */
export function placeOf(pathname: string): Found | null {
  const parts = partsOf(pathname)
  for (const place of Object.keys(PLACES) as Place[]) {
    const pattern = partsOf(place)
    if (pattern.length !== parts.length) continue
    const params: Record<string, string> = {}
    const fits = pattern.every((each, n) => {
      if (!each.startsWith('$')) return each === parts[n]
      const value = decoded(parts[n]!)
      if (value === null) return false
      params[each.slice(1)] = value
      return true
    })
    if (fits) return { place, params }
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

/** The path of a page, with the values that `$` stands for. */
export const pathOf = (place: Place, params: Readonly<Record<string, string>> = {}): string =>
  place.replace(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

/** The search parameters of an address. Values are JSON where they can be read as JSON, and else texts. */
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

/** The other way round. Parameters that are undefined are left out. */
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
