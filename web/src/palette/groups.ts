import { queries, useRead, useSettled } from '@ordbook/web-ui/api/client.ts'
import { count, shortAddress } from '@ordbook/web-ui/format/format.ts'
import { sharedNames } from '@ordbook/web-ui/format/names.ts'
import { useWatchlist } from '@ordbook/web-ui/state/watchlist.ts'
import { collections as collectionWords } from '@ordbook/web-ui/strings/home.ts'
import { frame, items as itemCount, titles, toldApart } from '@ordbook/web-ui/strings/pages.ts'
import { recentRows } from './recent.ts'
import { among, type Found, type FoundCollection, type Group, MAX_ROWS, type Row } from './rows.ts'
import { palette as words } from './strings.ts'

const PAGES: readonly Row[] = (
  [
    ['/', frame.explore],
    ['/collections', collectionWords.title],
    ['/activity', frame.activity],
    ['/trades', frame.trades],
    ['/trades/new', titles.newTrade],
    ['/wallet', frame.portfolio],
    ['/market', titles.status],
    ['/how', titles.how],
  ] as const
).map(([to, name]) => ({ key: to, name, target: { to } }))

const traitRow = ({
  collectionSlug,
  collectionName,
  type,
  value,
  count: items,
  ...row
}: Found['traits'][number]): Row => ({
  key: `trait ${collectionSlug} ${type} ${value}`,
  target: {
    to: '/collection/$slug',
    params: { slug: collectionSlug },
    search: { traits: { [type]: [value] } },
  },
  name: value,
  beside: words.traitOf(type, collectionName),
  below: itemCount(items),
  verification: { of: row.verificationStatus },
})

function itemRow({
  inscriptionId,
  inscriptionNumber,
  name,
  contentType,
  priceSats,
  ...row
}: Found['inscriptions'][number]): Row {
  const numbered = inscriptionNumber === null ? [] : [words.inscription(count(inscriptionNumber))]
  const below = [...(row.collectionName === null ? [] : [row.collectionName]), ...numbered].join(', ')
  return {
    key: `item ${inscriptionId}`,
    target: { to: '/inscription/$id', params: { id: inscriptionId } },
    name,
    below: below === name ? '' : below,
    picture: { id: inscriptionId, contentType, hint: row.imageRenderingHint },
    sats: priceSats,
    ...(row.verificationStatus ? { verification: { of: row.verificationStatus } } : {}),
  }
}

const collectionRow = (row: FoundCollection, shared: ReadonlySet<string>): Row => ({
  key: `collection ${row.slug}`,
  target: { to: '/collection/$slug', params: { slug: row.slug } },
  name: row.name,
  below: shared.has(row.name.toLowerCase()) ? toldApart(row.itemCount, row.slug) : itemCount(row.itemCount),
  ...(row.previewInscriptionId
    ? {
        picture: {
          id: row.previewInscriptionId,
          contentType: row.previewContentType,
          hint: row.imageRenderingHint,
        },
      }
    : {}),
  ...(row.floorSats === null ? {} : { sats: row.floorSats }),
  verification: { of: row.verificationStatus, sameNameAs: row.sameNameAs },
})

/** Collections with the same name also show their slug. */
function collectionRows(found: readonly FoundCollection[]): Row[] {
  const shared = sharedNames(found)
  return found.map((row) => collectionRow(row, shared))
}

const addressRow = (address: string): Row => ({
  key: `address ${address}`,
  target: { to: '/address/$address', params: { address } },
  name: shortAddress(address),
  below: words.address,
})

/** Returns cached collections, for results before the first response. */
function knownCollections(): FoundCollection[] {
  const pages = queries
    .getQueriesData<{ pages?: { collections?: FoundCollection[] }[] }>({ queryKey: ['browseCollections'] })
    .flatMap(([, data]) => data?.pages ?? [])
    .flatMap((page) => page.collections ?? [])
  return [...new Map(pages.map((page) => [page.slug, page])).values()]
}

function useWatched(isWanted: boolean): Row[] {
  const slugs = useWatchlist()
  const query = { slugs: slugs.toSorted().join(','), sort: 'name', limit: 50 } as const
  const { data } = useRead(
    'browseCollections',
    { query },
    { enabled: isWanted && slugs.length > 0, keep: true },
  )
  const found = slugs.flatMap(
    (slug) => data?.collections.filter((collection) => collection.slug === slug) ?? [],
  )
  return collectionRows(found.slice(0, MAX_ROWS))
}

/** Returns grouped results. Cached results are immediate. */
export function useGroups(text: string) {
  const asked = useSettled(text)
  const watched = useWatched(text === '')
  const read = useRead('search', { query: { q: asked } }, { enabled: asked !== '', keep: true })
  const recent = text === '' ? recentRows() : []
  if (text === '')
    return {
      groups: shown([
        [words.recent, recent],
        [words.watchlist, watched.filter(({ key }) => !recent.some((row) => row.key === key))],
        [words.goTo, PAGES],
      ]),
      of: '',
      isLooking: false,
      error: null,
    }
  const found = asked === '' ? undefined : read.data
  const isCurrent = asked === text && !read.isPlaceholderData && found !== undefined
  const collections = isCurrent ? found.collections : among(knownCollections(), text)
  const kept = isCurrent ? found : undefined
  const pages = PAGES.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const groups = shown([
    [words.traits, kept?.traits.map(traitRow) ?? []],
    [words.items, kept?.inscriptions.map(itemRow) ?? []],
    [words.collections, collectionRows(collections)],
    [words.people, kept?.addresses.map(addressRow) ?? []],
    [words.goTo, pages],
  ])
  return { groups, of: isCurrent ? asked : null, isLooking: !isCurrent && !read.error, error: read.error }
}

const shown = (groups: readonly (readonly [string, readonly Row[]])[]): Group[] =>
  groups.filter(([, rows]) => rows.length > 0).map(([label, rows]) => ({ label, rows }))
