import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useCart } from '../cart.tsx'
import { client, usePages, useRead } from '../client.ts'
import { count } from '../format.ts'
import { useSession } from '../session.tsx'
import { Button, Change, Empty, Loaded, Price, Select, Tabs } from '../ui/basics.tsx'
import { FloorChart } from '../ui/charts.tsx'
import { FilterIcon } from '../ui/icons.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { ActivityList } from './activity-list.tsx'
import { Bids } from './bids.tsx'
import { Filters } from './collection-filters.tsx'
import { CollectionPicture } from './collection-picture.tsx'
import { type Collection, type CollectionSearch, filtersOf } from './collection-search.ts'
import { Grid } from './grid.tsx'
import { Verified } from './home.tsx'
import { ItemCard, lineOf } from './item-card.tsx'

const SORTS = [
  ['price', 'Price, low to high'],
  ['price-desc', 'Price, high to low'],
  ['recent', 'Recently listed'],
  ['rarity', 'Rarest first'],
  ['number', 'Number, low to high'],
  ['oldest', 'Oldest'],
  ['newest', 'Newest'],
] as const
const TABS = [
  { id: 'items', label: 'Items' },
  { id: 'offers', label: 'Offers' },
  { id: 'activity', label: 'Activity' },
  { id: 'charts', label: 'Charts' },
] as const

/** A collection: its items by any filter, its offers, what happened, its floor over time. */
export default function CollectionPage() {
  const { slug } = useParams({ from: '/collection/$slug' })
  const search = useSearch({ from: '/collection/$slug' })
  const navigate = useNavigate({ from: '/collection/$slug' })
  const found = useRead('getCollection', { params: { slug } })
  const tab = TABS.find((each) => each.id === search.tab)?.id ?? 'items'
  return (
    <Loaded of={found} what="Loading the collection">
      {(collection) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
          <Head collection={collection} />
          <Tabs
            label="Parts of the collection"
            tabs={TABS}
            value={tab}
            onChange={(id) =>
              void navigate({ search: (before) => ({ ...before, tab: id }), resetScroll: false })
            }
          />
          {tab === 'items' && <Items collection={collection} search={search} />}
          {tab === 'offers' && <Bids collection={collection} />}
          {tab === 'activity' && <ActivityList about={{ slug }} />}
          {tab === 'charts' && <Charts slug={slug} />}
        </div>
      )}
    </Loaded>
  )
}

function Head({ collection }: { collection: Collection }) {
  const facts: [string, React.ReactNode][] = [
    ['Floor', <Price key="floor" sats={collection.floorSats} />],
    ['24 h', <Change key="day" value={collection.oneDayChange} />],
    ['7 d', <Change key="week" value={collection.sevenDayChange} />],
    ['Best offer', <Price key="top" sats={collection.topOfferSats} />],
    ['Volume, 7 d', <Price key="volume" sats={collection.volumeWeekSats} />],
    ['Listed', `${count(collection.listedCount)} of ${count(collection.itemCount)}`],
    ['Owners', count(collection.ownerCount)],
  ]
  return (
    <header className="flex flex-wrap items-start gap-5">
      {collection.previewInscriptionId && (
        <span className="w-20 overflow-hidden rounded-xl sm:w-28">
          <CollectionPicture of={collection} />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <h1 className="text-2xl font-semibold [overflow-wrap:anywhere] sm:text-3xl">
          {collection.name} {collection.verificationStatus === 'verified' && <Verified />}
        </h1>
        {collection.description && (
          <p className="mt-1 max-w-prose text-soft [overflow-wrap:anywhere]">{collection.description}</p>
        )}
        {collection.sellerRoyaltyBps + collection.buyerRoyaltyBps > 0 && (
          <p className="mt-1 text-sm text-soft">
            Its creator gets {(collection.sellerRoyaltyBps + collection.buyerRoyaltyBps) / 100} % of each
            sale.
          </p>
        )}
        <dl className="mt-4 flex flex-wrap gap-x-7 gap-y-3">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt className="text-xs text-soft">{name}</dt>
              <dd className="font-medium">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </header>
  )
}

const itemCount = (total: number) => `${count(total)} ${total === 1 ? 'item' : 'items'}`

/** The query of a collection page, from its address. */
function queryOf(slug: string, search: CollectionSearch) {
  const [sort] = SORTS.find(([id]) => id === search.sort) ?? SORTS[0]
  return { params: { slug }, query: { sort, ...filtersOf(search) } }
}

function Items({ collection, search }: { collection: Collection; search: CollectionSearch }) {
  const navigate = useNavigate({ from: '/collection/$slug' })
  const [filtering, setFiltering] = useState(false)
  const input = queryOf(collection.slug, search)
  const found = usePages('browseItems', input)
  // Each filter is a step of its own, so that Back undoes it.
  const set = (change: Partial<CollectionSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), resetScroll: false })
  const chosen = Object.entries(search.traits ?? {}).flatMap(([type, values]) =>
    values.map((value) => ({ type, value })),
  )
  const toggle = (type: string, value: string) => {
    const before = search.traits?.[type] ?? []
    const after = before.includes(value) ? before.filter((each) => each !== value) : [...before, value]
    const { [type]: _, ...others } = search.traits ?? {}
    const traits = after.length > 0 ? { ...others, [type]: after } : others
    set({ traits: Object.keys(traits).length > 0 ? traits : undefined })
  }
  return (
    <div className="grid gap-6 grid-cols-[minmax(0,1fr)] lg:grid-cols-[15rem_minmax(0,1fr)]">
      <div>
        <Button
          className="w-full lg:hidden"
          aria-expanded={filtering}
          onClick={() => setFiltering(!filtering)}
        >
          <FilterIcon /> Filters{chosen.length > 0 ? ` (${chosen.length})` : ''}
        </Button>
        <div
          className={`${filtering ? 'grid' : 'hidden'} mt-4 grid-cols-[minmax(0,1fr)] gap-5 lg:mt-0 lg:grid`}
        >
          <Filters
            slug={collection.slug}
            filters={filtersOf(search)}
            search={search}
            set={set}
            toggle={toggle}
          />
        </div>
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <span className="text-sm text-soft" aria-live="polite">
            {found.data ? itemCount(found.data.pages[0]?.total ?? 0) : '…'}
          </span>
          {chosen.map(({ type, value }) => (
            <button
              key={`${type} ${value}`}
              type="button"
              onClick={() => toggle(type, value)}
              className="flex max-w-full items-center gap-1 rounded-full bg-glow px-3 py-1 text-sm text-lamp"
            >
              <span className="truncate" dir="auto">
                {type}: {value}
              </span>
              <span aria-hidden="true">×</span>
              <span className="sr-only">, remove this filter</span>
            </button>
          ))}
          <Sweep slug={collection.slug} input={input} />
          <label className="ml-auto flex items-center gap-2 text-sm text-soft">
            Sort by
            <Select inline options={SORTS} value={input.query.sort} onChange={(sort) => set({ sort })} />
          </label>
        </div>
        <LoadedList
          of={found}
          rows={(page) => page.items}
          what="Loading the items"
          empty={<Empty title="No items like this">Take a filter away to see more.</Empty>}
        >
          {(items) => <Grid of={items}>{(item) => <ItemCard item={item} />}</Grid>}
        </LoadedList>
      </div>
    </div>
  )
}

/** Puts the cheapest of what is shown into the cart. */
function Sweep({ slug, input }: { slug: string; input: ReturnType<typeof queryOf> }) {
  const cart = useCart()
  const { account } = useSession()
  const [howMany, setHowMany] = useState(5)
  const sweep = async (event: FormEvent) => {
    event.preventDefault()
    const { items } = await client.call('browseItems', {
      params: { slug },
      query: { ...input.query, sort: 'price', listed: true, limit: Math.min(100, howMany + 20) },
    })
    const lines = items
      .filter((item) => item.owner !== account?.ordinalsAddress)
      .flatMap((item) => lineOf(item) ?? [])
      .slice(0, howMany)
    cart.add(lines)
    cart.show(true)
  }
  return (
    <form onSubmit={(event) => void sweep(event)} className="flex items-center gap-2 text-sm">
      <label className="flex items-center gap-2 text-soft">
        Sweep
        <input
          type="number"
          min={1}
          max={20}
          value={howMany}
          onChange={(event) => setHowMany(Math.max(1, Math.min(20, Number(event.target.value) || 1)))}
          className="min-h-10 w-16 rounded-lg border border-edge bg-sheet px-2 text-ink"
        />
      </label>
      <Button type="submit">Add the cheapest</Button>
    </form>
  )
}

function Charts({ slug }: { slug: string }) {
  const [days, setDays] = useState(30)
  const found = useRead('getCollectionHistory', { params: { slug }, query: { days } }, { keep: true })
  return (
    <section className="panel p-4">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <h2 className="font-semibold">Floor and sales</h2>
        <div className="flex gap-1">
          {[7, 30, 90, 365].map((each) => (
            <Button
              key={each}
              kind={days === each ? 'main' : 'ghost'}
              aria-pressed={days === each}
              onClick={() => setDays(each)}
            >
              {each} d
            </Button>
          ))}
        </div>
      </div>
      <Loaded of={found}>
        {({ floor, sales }) => <FloorChart floor={floor} sales={sales} days={days} />}
      </Loaded>
    </section>
  )
}
