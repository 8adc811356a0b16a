import { pagesKey, usePages } from '@ordbook/web-ui/api/client.ts'
import { useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { btc, money } from '@ordbook/web-ui/format/format.ts'
import type { CollectionSearch } from '@ordbook/web-ui/routing/places.ts'
import { usePainted } from '@ordbook/web-ui/state/after-paint.ts'
import { filters as filterWords, collection as words } from '@ordbook/web-ui/strings/collection.ts'
import { items as itemCount, rank } from '@ordbook/web-ui/strings/pages.ts'
import { Button, Empty, Select } from '@ordbook/web-ui/ui/basics.tsx'
import { Chip } from '@ordbook/web-ui/ui/chip.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useEffect } from 'react'
import { type Collection, filtersOf } from '../bids/collection-search.ts'
import { OrderBook } from '../bids/order-book-on-demand.ts'
import { ItemGrid } from '../items/item-grid.tsx'
import { useItemView } from '../items/item-view.ts'
import { lastList } from '../items/last-list.ts'
import { Filters } from './collection-filters.tsx'
import { FilterColumn, FilterSheet } from './filter-panel.tsx'
import { SweepBar } from './sweep-bar.tsx'
import { useFilterSteps } from './use-filter-steps.ts'
import { ViewSwitch } from './view-switch.tsx'

const SORTS = Object.entries(words.sorts) as [keyof typeof words.sorts, string][]

const ItemTable = onDemand(() => import('../items/item-table.tsx').then((part) => part.ItemTable))

const SIDE_COLUMN =
  'sticky top-[calc(var(--bar-height)+16px)] max-h-[calc(100dvh-var(--bar-height)-32px)] self-start overflow-y-auto overscroll-contain'

/** Filtered items of a collection. Wide screens also show filters and order book. */
export function CollectionItems({
  collection: { slug, itemCount: allItems },
  search,
  hasSideColumns,
}: {
  collection: Collection
  search: CollectionSearch
  hasSideColumns: boolean
}) {
  const { set, toggle, clear, chosen } = useFilterSteps(search)
  const filters = filtersOf(search)
  const [sort] = SORTS.find(([id]) => id === search.sort) ?? SORTS[0]!
  const [view, showAs] = useItemView()
  const input = { params: { slug }, query: { sort, ...filters } }
  const found = usePages('browseItems', input)
  useEffect(() => {
    lastList.key = pagesKey('browseItems', input)
  })
  const { isOpen: isCartOpen } = useCart()
  // The cart takes the place of the order book, which returns after the cart has gone.
  const wasCartOpen = usePainted(isCartOpen)
  const hasBook = hasSideColumns && !isCartOpen && !wasCartOpen
  const total = found.data?.pages[0]?.total
  const fields = <Filters slug={slug} filters={filters} search={search} set={set} toggle={toggle} />
  return (
    <div
      className={`grid grid-cols-[minmax(0,1fr)] gap-6 ${hasBook ? 'lg:grid-cols-[240px_minmax(0,1fr)_300px]' : 'lg:grid-cols-[240px_minmax(0,1fr)]'}`}
    >
      {hasSideColumns && (
        <FilterColumn chosen={chosen} clear={clear} className={SIDE_COLUMN}>
          {fields}
        </FilterColumn>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <div className="flex min-w-0 items-center gap-3 max-sm:w-full">
            {!hasSideColumns && (
              <FilterSheet chosen={chosen} clear={clear} total={total ?? 0}>
                {fields}
              </FilterSheet>
            )}
            <label className="min-w-0 max-sm:flex-1">
              <span className="sr-only">{words.sort}</span>
              <Select inline options={SORTS} value={sort} onChange={(next) => set({ sort: next })} />
            </label>
            <ViewSwitch view={view} choose={showAs} />
          </div>
          <SweepBar slug={slug} filters={filters} />
        </div>
        {sort === 'rarity' && <p className="text-caption text-soft">{rank.formula}</p>}
        <Chosen total={total} search={search} toggle={toggle} set={set} />
        <LoadedList
          of={found}
          rows={(page) => page.items}
          what={words.loadingItems}
          empty={
            <Empty title={allItems > 0 ? words.noMatch : words.empty}>
              {chosen > 0 && <Button onClick={clear}>{filterWords.clear(chosen)}</Button>}
            </Empty>
          }
        >
          {(items) =>
            view === 'list' ? (
              <ItemTable items={items} />
            ) : (
              <ItemGrid items={items} dense={view === 'dense'} />
            )
          }
        </LoadedList>
      </div>
      {hasBook && (
        <div className={SIDE_COLUMN}>
          <OrderBook slug={slug} search={search} />
        </div>
      )}
    </div>
  )
}

function Chosen({
  total,
  search,
  toggle,
  set,
}: {
  total: number | undefined
  search: CollectionSearch
  toggle: (type: string, value: string) => void
  set: (change: Partial<CollectionSearch>) => void
}) {
  const { min, max } = search
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span className="mr-1 text-small text-soft" aria-live="polite">
        {total === undefined ? '…' : itemCount(total)}
      </span>
      {(min !== undefined || max !== undefined) && (
        <Chip label={words.removeFilter} onRemove={() => set({ min: undefined, max: undefined })}>
          {priceText(min, max)}
        </Chip>
      )}
      {Object.entries(search.traits ?? {}).flatMap(([type, values]) =>
        values.map((value) => (
          <Chip key={`${type} ${value}`} label={words.removeFilter} onRemove={() => toggle(type, value)}>
            <span dir="auto">
              {type}: {value}
            </span>
          </Chip>
        )),
      )}
    </div>
  )
}

const priceText = (min: number | undefined, max: number | undefined): string =>
  max === undefined
    ? filterWords.priceFrom(money(min ?? 0))
    : min === undefined
      ? filterWords.priceTo(money(max))
      : filterWords.prices(btc(min), money(max))
