import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useParams, useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { collection as words } from '@ordbook/web-ui/strings/collection.ts'
import { Loaded, Tabs } from '@ordbook/web-ui/ui/basics.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useSideColumns } from '@ordbook/web-ui/ui/use-media.ts'
import { filtersOf } from '../bids/collection-search.ts'
import { OrderBook } from '../bids/order-book-on-demand.ts'
import { CollectionHead } from './collection-head.tsx'
import { CollectionItems } from './collection-items.tsx'

const Bids = onDemand(() => import('../bids/bids.tsx').then((part) => part.Bids))
const CollectionActivity = onDemand(() =>
  import('./collection-activity.tsx').then((part) => part.CollectionActivity),
)
const Analytics = onDemand(() =>
  import('./collection-analytics.tsx').then((part) => part.CollectionAnalytics),
)

const TABS = [
  { id: 'items', label: words.items },
  { id: 'offers', label: words.offers },
  { id: 'book', label: words.book },
  { id: 'activity', label: words.activity },
  { id: 'analytics', label: words.analytics },
] as const

export default function CollectionPage() {
  const { slug } = useParams({ from: '/collection/$slug' })
  const search = useSearch({ from: '/collection/$slug' })
  const setSearch = useSetSearch({ from: '/collection/$slug' })
  const found = useRead('getCollection', { params: { slug } })
  // The order book is a side column on wide screens.
  const hasSideColumns = useSideColumns()
  const tabs = hasSideColumns ? TABS.filter(({ id }) => id !== 'book') : TABS
  const tab = tabs.find((tab) => tab.id === search.tab)?.id ?? 'items'
  const isGridPlain =
    tab === 'items' && search.sort === undefined && Object.keys(filtersOf(search)).length === 0
  const show = (id: string) => setSearch((before) => ({ ...before, tab: id }))
  return (
    <Loaded of={found} what={words.loading}>
      {(collection) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <CollectionHead collection={collection} isGridPlain={isGridPlain} />
          <Tabs label={words.parts} tabs={tabs} value={tab} onChange={show} />
          {tab === 'items' && (
            <CollectionItems collection={collection} search={search} hasSideColumns={hasSideColumns} />
          )}
          {tab === 'offers' && <Bids collection={collection} />}
          {tab === 'book' && <OrderBook slug={slug} search={search} />}
          {tab === 'activity' && (
            <CollectionActivity
              slug={slug}
              kind={search.kind}
              choose={(kind) => setSearch((before) => ({ ...before, kind }))}
            />
          )}
          {tab === 'analytics' && <Analytics slug={slug} />}
        </div>
      )}
    </Loaded>
  )
}
