import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useWatchlist } from '@ordbook/web-ui/state/watchlist.ts'
import { verification } from '@ordbook/web-ui/strings/pages.ts'
import { Select } from '@ordbook/web-ui/ui/basics.tsx'
import { Choice } from '@ordbook/web-ui/ui/choice.tsx'
import { PauseIcon, StarIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { useState } from 'react'
import { ActivityFilters, kindIn } from './activity-filters.tsx'
import { ActivityHead } from './activity-head.tsx'
import { ActivityList } from './activity-list.tsx'
import { activity as words } from './strings.ts'

const SLUG = /^[a-z0-9_-]{1,200}$/

/** Returns the selected collection and the top collections. Menus show verification as text. */
function useCollectionChoice(text: string | undefined) {
  const { data } = useRead('browseCollections', { query: { sort: 'volume' } })
  const slug = text !== undefined && SLUG.test(text) ? text : undefined
  const found = (data?.collections ?? []).map(
    (collection) =>
      [collection.slug, verification.named(collection.name, collection.verificationStatus)] as const,
  )
  const isKnown = slug === undefined || found.some(([each]) => each === slug)
  return {
    slug,
    options: [['', words.allCollections] as const, ...(isKnown ? [] : [[slug, slug] as const]), ...found],
  }
}

const MIN_PRICES = [100_000, 1_000_000, 10_000_000, 100_000_000]

const MAX_SATS = 2_100_000_000_000_000

function MinPrice({ value, choose }: { value: number; choose: (sats: number | undefined) => void }) {
  const { unit, fiat } = useSettings()
  const priceOf = (sats: number) => {
    const { text, unit: named } = amount(sats, unit, fiat)
    return words.atLeast(`${text} ${named}`)
  }
  const known = MIN_PRICES.includes(value) || value === 0 ? MIN_PRICES : [...MIN_PRICES, value]
  const options = [[0, words.anyPrice] as const, ...known.map((sats) => [sats, priceOf(sats)] as const)]
  return (
    <Select
      inline
      label={words.minPrice}
      options={options}
      value={value}
      onChange={(sats) => choose(sats || undefined)}
    />
  )
}

export default function ActivityPage() {
  const search = useSearch({ from: '/activity' })
  const setSearch = useSetSearch({ from: '/activity' })
  const watchlist = useWatchlist()
  const [isPaused, pause] = useState(false)
  const kind = kindIn(search.kind)
  const { slug, options } = useCollectionChoice(search.slug)
  const set = (next: Partial<typeof search>) => setSearch((before) => ({ ...before, ...next }))
  const isPriced = kind !== 'trades' && kind !== 'transfers'
  const min = isPriced && search.min !== undefined && search.min <= MAX_SATS ? search.min : undefined
  const isWatched = search.watched === true && !slug && watchlist.length > 0
  const about = {
    kind,
    ...(slug ? { slug } : {}),
    ...(isWatched ? { slugs: watchlist.toSorted().join(',') } : {}),
    ...(min ? { minSats: min } : {}),
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <div className="flex flex-wrap items-end justify-between gap-x-7 gap-y-3">
        <h1 className="text-h1">{words.title}</h1>
        <ActivityHead />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-3">
        <ActivityFilters kind={kind} choose={(next) => set({ kind: next })} />
        {watchlist.length > 0 && (
          <Choice
            isOn={isWatched}
            onClick={() => set({ watched: isWatched ? undefined : true, slug: undefined })}
          >
            <StarIcon />
            {words.watchlistOnly}
          </Choice>
        )}
        <Select
          inline
          label={words.collection}
          options={options}
          value={slug ?? ''}
          onChange={(next) => set({ slug: next || undefined, watched: undefined })}
        />
        {isPriced && <MinPrice value={min ?? 0} choose={(sats) => set({ min: sats })} />}
        <Choice isOn={isPaused} onClick={() => pause(!isPaused)} className="sm:ml-auto">
          <PauseIcon />
          {words.pause}
        </Choice>
      </div>
      <ActivityList about={about} isPaused={isPaused} />
    </div>
  )
}
