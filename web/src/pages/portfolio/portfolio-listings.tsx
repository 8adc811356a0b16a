import { usePages } from '@ordbook/web-ui/api/client.ts'
import { useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { escrow as escrowWords } from '@ordbook/web-ui/strings/escrow.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { listFieldsIn } from '@ordbook/web-ui/ticket/fields/fields.ts'
import { useTicket } from '@ordbook/web-ui/ticket/progress/tickets.ts'
import { Empty, Loaded, More } from '@ordbook/web-ui/ui/basics.tsx'
import { Choice } from '@ordbook/web-ui/ui/choice.tsx'
import { useEffect, useRef } from 'react'
import { Batch } from '../batch/batch.tsx'
import { NO_PRICES } from '../forms/priced.ts'
import { CollectionChips } from '../holdings/collection-chips.tsx'
import { type Known, LISTINGS, rowsOf } from './listing-rows.ts'
import { useReferences } from './use-references.ts'
import { WalletEscrows } from './wallet-escrows.tsx'

const VIEWS = ['all', 'listed', 'unlisted'] as const

/** All items of collections, with their prices: list, change prices, list again and delist many together. */
export function PortfolioListings({ address }: { address: string }) {
  const listings = usePages('listOwnListings', { query: {} })
  const holdings = usePages('listHoldings', { params: { address }, query: {} })
  const found = {
    data:
      listings.data && holdings.data
        ? rowsOf(
            listings.data.pages.flatMap((page) => page.listings),
            holdings.data.pages.flatMap((page) => page.holdings),
          )
        : undefined,
    error: listings.error ?? holdings.error,
    refetch: () => Promise.all([listings.refetch(), holdings.refetch()]),
  }
  const more = {
    hasNextPage: listings.hasNextPage || holdings.hasNextPage,
    isFetchingNextPage: listings.isFetchingNextPage || holdings.isFetchingNextPage,
    fetchNextPage: () => {
      for (const each of [listings, holdings]) if (each.hasNextPage) void each.fetchNextPage()
    },
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
      <Loaded of={found} what={words.loadingListings}>
        {(rows) =>
          rows.length === 0 && !more.hasNextPage ? (
            <Empty title={words.noListings}>{words.noListingsWhy}</Empty>
          ) : (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
              <Rows rows={rows} />
              <More of={more} />
            </div>
          )
        }
      </Loaded>
      <section className="grid gap-3" aria-label={words.inEscrow}>
        <h2 className="text-h2">{words.inEscrow}</h2>
        <p className="max-w-prose text-soft">{escrowWords.guarantee}</p>
        <WalletEscrows />
      </section>
    </div>
  )
}

function Rows({ rows }: { rows: readonly Known[] }) {
  const { collection, show = 'all' } = useSearch({ from: '/wallet' })
  const setSearch = useSetSearch({ from: '/wallet' })
  const view = VIEWS.find((each) => each === show) ?? 'all'
  const listed = rows.filter(({ listedSats, status }) => listedSats !== null || status !== null)
  const ofView = { all: rows, listed, unlisted: rows.filter((row) => !listed.includes(row)) }
  const inCollection = ofView[view].filter(({ slug }) => slug === collection)
  const isFiltered = inCollection.length > 0
  const shown = useReferences(isFiltered ? inCollection : ofView[view])
  const top = useRef<HTMLDivElement>(null)
  const { chosen } = listFieldsIn(useTicket(LISTINGS)?.fields) ?? NO_PRICES
  const hadChosen = useRef(chosen.length > 0)
  // Items that were chosen on the Items tab are below the value.
  useEffect(() => {
    if (hadChosen.current) top.current!.scrollIntoView()
  }, [])
  return (
    <>
      <div ref={top} className="flex scroll-mt-[calc(var(--bar-height)+16px)] flex-wrap gap-2">
        {VIEWS.map((each) => (
          <Choice
            key={each}
            isOn={view === each}
            onClick={() => setSearch((before) => ({ ...before, show: each === 'all' ? undefined : each }))}
          >
            {words.views[each]} <span className="tabular">{ofView[each].length}</span>
          </Choice>
        ))}
      </div>
      <CollectionChips
        holdings={ofView[view].map(({ slug, ...row }) => ({ ...row, collectionSlug: slug }))}
        chosen={isFiltered ? collection : undefined}
        onChoose={(slug) => setSearch((before) => ({ ...before, collection: slug }))}
      />
      <Batch
        subject={LISTINGS}
        rows={shown}
        list={(trades, trading, inputs, days, quotes) => trades.listItems(trading, inputs, days, quotes)}
      />
    </>
  )
}
