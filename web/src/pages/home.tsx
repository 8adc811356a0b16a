import { usePages, useRead } from '../client.ts'
import { Link, useSearch, useSetSearch } from '../routing/routing.tsx'
import { useSession } from '../session.tsx'
import { Change, Empty, Price, Select, Time } from '../ui/basics.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { onDemand } from '../ui/on-demand.tsx'
import { home as words } from '../words/home.ts'
import { CollectionPicture } from './collection-picture.tsx'
import { type CollectionRow, CollectionTable, SORTS } from './collection-table.tsx'
import { Spotlight } from './home-spotlight.tsx'
import type { Item } from './item-card.tsx'
import { ItemGrid } from './item-grid.tsx'
import { InscriptionLink } from './links.tsx'
import { useSeen } from './use-seen.ts'

const OpenTrades = onDemand(() => import('./open-trades.tsx').then((part) => part.OpenTrades))

const MOVERS = 5
const ITEMS = 8

/** The first page shows the trades of today, with their art first. */
export default function Home() {
  const { account } = useSession()
  const search = useSearch({ from: '/' })
  const setSearch = useSetSearch({ from: '/' })
  const [sort] = SORTS.find(([id]) => id === search.sort) ?? SORTS[0]
  const byVolume = usePages('browseCollections', { query: { sort: 'volume' } })
  const found = usePages('browseCollections', { query: { sort } })
  const setSort = (next: typeof sort) => setSearch((before) => ({ ...before, sort: next }), { replace: true })
  const top = byVolume.data?.pages[0]?.collections ?? []
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <header className={account ? 'sr-only' : ''}>
        <h1 className="text-h1">{words.headline}</h1>
        <p className="mt-1 text-soft">{words.under}</p>
      </header>
      {byVolume.data ? <Top rows={top} /> : <div className="pulse h-59 rounded-picture bg-raised lg:h-84" />}
      <LatestSales />
      <section>
        <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-h2">{words.collections}</h2>
          <label className="flex items-center gap-2 text-soft md:hidden">
            {words.sortBy}
            <Select inline options={SORTS} value={sort} onChange={setSort} />
          </label>
        </div>
        <LoadedList
          of={found}
          rows={(page) => page.collections}
          what={words.loadingCollections}
          empty={
            <Empty title={words.noCollections}>
              {words.noCollectionsWhy}{' '}
              <Link to="/how" className="underline">
                {words.how}
              </Link>
            </Empty>
          }
        >
          {(rows) => <CollectionTable rows={rows} sort={sort} onSort={setSort} />}
        </LoadedList>
      </section>
      {top[0] && <NearFloor row={top[0]} />}
      {top[0] && <Trades />}
    </div>
  )
}

/** The cheapest items of a collection: pictures for the spotlight, and those near the floor. */
const useItems = (row: CollectionRow | undefined) =>
  usePages(
    'browseItems',
    { params: { slug: row?.slug ?? '' }, query: { sort: 'price', limit: ITEMS } },
    { enabled: row !== undefined },
  )

function Top({ rows }: { rows: readonly CollectionRow[] }) {
  const [first] = rows
  const items = useItems(first)
  const size = (row: CollectionRow) => Math.abs(row.oneDayChange ?? 0)
  const movers = rows
    .filter((row) => size(row) > 0)
    .sort((a, b) => size(b) - size(a))
    .slice(0, MOVERS)
  if (!first) return null
  const spotlight = <Spotlight row={first} items={items.data?.pages[0]?.items} />
  if (movers.length === 0) return spotlight
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-[minmax(0,1fr)_404px]">
      {spotlight}
      <Movers rows={movers} />
    </div>
  )
}

function Movers({ rows }: { rows: readonly CollectionRow[] }) {
  return (
    <section className="panel p-4 lg:h-84" aria-label={words.movers}>
      <div className="mb-2 flex items-baseline justify-between gap-3">
        <h2 className="text-h3">{words.movers}</h2>
        <span className="text-caption text-soft">{words.moversOf}</span>
      </div>
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li key={row.slug}>
            <Link
              to="/collection/$slug"
              params={{ slug: row.slug }}
              className="flex items-center gap-3 py-1.5 hover:bg-raised"
            >
              <span className="w-10 shrink-0 overflow-hidden rounded-control">
                <CollectionPicture of={row} />
              </span>
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate font-[560]">
                  {row.name}
                </span>
                <Price sats={row.floorSats} className="text-caption text-soft" />
              </span>
              <Change value={row.oneDayChange} />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A rail of the last sales. Its height is the same while it loads and without sales, so that nothing below moves. */
function LatestSales() {
  const found = useRead('listSales', { query: { limit: ITEMS } })
  const sales = found.data?.sales
  return (
    <section aria-label={words.sales} className="panel flex h-15 items-center gap-5 px-4">
      <h2 className="shrink-0 text-small font-[620]">{words.sales}</h2>
      {sales?.length === 0 && <p className="text-small text-soft">{words.noSales}</p>}
      <ul aria-live="off" className="flex min-w-0 flex-1 snap-x gap-6 overflow-x-auto">
        {sales?.map((sale) => (
          <li key={sale.saleId} className="shrink-0 snap-start text-small">
            <InscriptionLink
              id={sale.inscriptionId}
              name={sale.inscriptionName}
              className="block max-w-44 truncate font-[560] hover:underline"
            />
            <Price sats={sale.priceSats} />{' '}
            <span className="text-caption text-soft">
              <Time at={sale.soldAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const isNear = (item: Item, floorSats: number) =>
  item.listingState === 'buyable' && item.priceSats !== null && item.priceSats * 100 <= floorSats * 105

/** Items at the floor of the collection that trades most; in a new market the first items that there are. */
function NearFloor({ row }: { row: CollectionRow }) {
  const found = useItems(row)
  const { floorSats } = row
  if (found.isPending) return <div className="pulse h-80 rounded-picture bg-raised" />
  const all = found.data?.pages[0]?.items ?? []
  const near = floorSats === null ? [] : all.filter((item) => isNear(item, floorSats))
  const shown = near.length > 0 ? near : all
  if (shown.length === 0) return null
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
        <h2 className="text-h2">{near.length > 0 ? words.nearFloor : row.name}</h2>
        <span className="text-soft" dir="auto">
          {near.length > 0 ? words.within(row.name) : words.firstOffer}
        </span>
      </div>
      <ItemGrid items={shown} />
    </section>
  )
}

/** Open trades, read when a visitor comes near them. */
function Trades() {
  const { ref, isSeen } = useSeen<HTMLDivElement>()
  return <div ref={ref}>{isSeen && <OpenTrades />}</div>
}
