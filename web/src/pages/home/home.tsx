import { usePages, useRead } from '@ordbook/web-ui/api/client.ts'
import { Link, useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { useWatchlist } from '@ordbook/web-ui/state/watchlist.ts'
import { home as words } from '@ordbook/web-ui/strings/home.ts'
import { Empty, Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import type { ReactNode } from 'react'
import { CollectionTable } from '../collections/collection-table.tsx'
import { RankingControls, rankingIn } from '../collections/ranking.tsx'
import { useSeen } from '../parts/use-seen.ts'
import { NewMarket } from './home-new.tsx'
import { LiveSales } from './home-sales.tsx'
import { Top } from './home-top.tsx'

const OpenTrades = onDemand(() => import('./open-trades.tsx').then((part) => part.OpenTrades))
const FreshItems = onDemand(() => import('./home-fresh.tsx').then((part) => part.FreshItems))
const NewCollections = onDemand(() => import('./home-fresh.tsx').then((part) => part.NewCollections))
const Watchlist = onDemand(() => import('./home-watchlist.tsx').then((part) => part.Watchlist))

const SALES = 8

/** Number of collections in the ranking. */
const TRENDING = 10

export default function Home() {
  const { account } = useSession()
  const watched = useWatchlist()
  const byVolume = usePages('browseCollections', { query: { sort: 'volume' } })
  const sales = useRead('listActivity', { query: { kind: 'sales', limit: SALES } })
  const top = byVolume.data?.pages[0]?.collections ?? []
  const isNew = sales.data?.activity.length === 0
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {isNew ? (
        <>
          <NewMarket collections={byVolume.data?.pages[0]?.collections} />
          {watched.length > 0 && <Watchlist slugs={watched} />}
        </>
      ) : (
        <>
          <header className={account ? 'sr-only' : ''}>
            <h1 className="text-h1">{words.headline}</h1>
            <p className="mt-1 text-soft">{words.under}</p>
          </header>
          {watched.length > 0 && <Watchlist slugs={watched} />}
          {byVolume.data ? (
            <Top rows={top} />
          ) : (
            <div className="pulse h-59 rounded-picture bg-raised lg:h-84" />
          )}
          <LiveSales sales={sales.data?.activity} />
          <Trending />
        </>
      )}
      {top[0] && !isNew && (
        <WhenSeen>
          <FreshItems />
          <OpenTrades />
          <NewCollections />
        </WhenSeen>
      )}
    </div>
  )
}

function Trending() {
  const search = useSearch({ from: '/' })
  const setSearch = useSetSearch({ from: '/' })
  const ranking = rankingIn(search)
  const found = usePages('browseCollections', { query: ranking })
  const set = (next: typeof search) => setSearch((before) => ({ ...before, ...next }), { replace: true })
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 className="text-h2">{words.trending}</h2>
        <RankingControls ranking={ranking} set={set} />
        <Link
          to="/collections"
          search={search}
          className="flex min-h-10 items-center rounded-button border border-line bg-raised px-4 font-[560] hover:border-edge"
        >
          {words.seeAll}
        </Link>
      </div>
      <Loaded of={found} what={words.loadingCollections}>
        {({ pages: [first] }) =>
          first && first.collections.length > 0 ? (
            <CollectionTable
              rows={first.collections.slice(0, TRENDING)}
              sort={ranking.sort}
              onSort={(sort) => set({ sort })}
            />
          ) : (
            <Empty title={words.noCollections}>
              {words.noCollectionsWhy}{' '}
              <Link to="/how" className="underline">
                {words.how}
              </Link>
            </Empty>
          )
        }
      </Loaded>
    </section>
  )
}

/** Renders its children when scrolled near, to delay their requests. */
function WhenSeen({ children }: { children: ReactNode }) {
  const { ref, isSeen } = useSeen<HTMLDivElement>()
  return (
    <div ref={ref} className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {isSeen && children}
    </div>
  )
}
