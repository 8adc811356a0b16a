import { useRead } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { useParams, useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useSideColumns } from '@ordbook/web-ui/state/use-media.ts'
import { collection as words } from '@ordbook/web-ui/strings/collection.ts'
import { Loaded, Tabs } from '@ordbook/web-ui/ui/basics.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useEffect } from 'react'
import { type Collection, MAX_OFFERS } from '../bids/collection-search.ts'
import { OrderBook } from '../bids/order-book-on-demand.ts'
import { FeedAlternate } from '../parts/feed-link.tsx'
import { isMissing } from '../parts/missing.tsx'
import { CollectionHead } from './collection-head.tsx'
import { CollectionItems } from './collection-items.tsx'

const Bids = onDemand(() => import('../bids/bids.tsx').then((part) => part.Bids))
const CollectionActivity = onDemand(() =>
  import('./collection-activity.tsx').then((part) => part.CollectionActivity),
)
const Analytics = onDemand(() =>
  import('./collection-analytics.tsx').then((part) => part.CollectionAnalytics),
)
const Holders = onDemand(() => import('./collection-holders.tsx').then((part) => part.CollectionHolders))
const Trades = onDemand(() => import('./collection-trades.tsx').then((part) => part.CollectionTrades))
const About = onDemand(() => import('./collection-about.tsx').then((part) => part.CollectionAbout))
const MissingCollection = onDemand(() =>
  import('./missing-collection.tsx').then((part) => part.MissingCollection),
)

const TABS: readonly {
  id: 'items' | 'offers' | 'book' | 'activity' | 'analytics' | 'holders' | 'trades' | 'about'
  label: string
  countOf?: (collection: Collection) => string
}[] = [
  { id: 'items', label: words.items, countOf: ({ itemCount }) => count(itemCount) },
  { id: 'offers', label: words.offers, countOf: ({ offerCount }) => words.counted(offerCount, MAX_OFFERS) },
  { id: 'book', label: words.book },
  { id: 'activity', label: words.activity },
  { id: 'analytics', label: words.analytics },
  { id: 'holders', label: words.holders, countOf: ({ ownerCount }) => count(ownerCount) },
  { id: 'trades', label: words.trades, countOf: ({ tradeCount }) => words.counted(tradeCount, MAX_OFFERS) },
  { id: 'about', label: words.about },
]

export default function CollectionPage() {
  const { slug } = useParams({ from: '/collection/$slug' })
  const search = useSearch({ from: '/collection/$slug' })
  const setSearch = useSetSearch({ from: '/collection/$slug' })
  const found = useRead('getCollection', { params: { slug } })
  // The order book is a side column on wide screens.
  const hasSideColumns = useSideColumns()
  const tabs = hasSideColumns ? TABS.filter(({ id }) => id !== 'book') : TABS
  const tab = tabs.find((tab) => tab.id === search.tab)?.id ?? 'items'
  const isUnknownTab = search.tab !== undefined && TABS.every(({ id }) => id !== search.tab)
  useEffect(() => {
    if (isUnknownTab) setSearch((before) => ({ ...before, tab: undefined }), { replace: true })
  }, [isUnknownTab, setSearch])
  const show = (id: string) => setSearch((before) => ({ ...before, tab: id }))
  if (found.data === undefined && isMissing(found.error)) return <MissingCollection slug={slug} />
  return (
    <Loaded of={found} what={words.loading}>
      {(collection) => (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <FeedAlternate of="collection" id={slug} />
          <CollectionHead collection={collection} />
          <Tabs
            label={words.parts}
            tabs={tabs.map(({ id, label, countOf }) => ({ id, label, count: countOf?.(collection) }))}
            value={tab}
            onChange={show}
          />
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
          {tab === 'holders' && <Holders slug={slug} />}
          {tab === 'trades' && <Trades slug={slug} />}
          {tab === 'about' && <About collection={collection} />}
        </div>
      )}
    </Loaded>
  )
}
