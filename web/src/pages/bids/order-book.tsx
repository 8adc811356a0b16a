import { useRead } from '@ordbook/web-ui/api/client.ts'
import type { CollectionSearch } from '@ordbook/web-ui/routing/places.ts'
import { book as words } from '@ordbook/web-ui/strings/collection.ts'
import { Button, Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { useState } from 'react'
import { BookSides } from './book-sides.tsx'
import { filtersOf } from './collection-search.ts'

type Filters = ReturnType<typeof filtersOf>

const COLLAPSED_PRICES = 8
const MAX_PRICES = 100

/** Order book of a collection or its filtered traits. */
export function OrderBook({ slug, search }: { slug: string; search: CollectionSearch }) {
  const { traits } = filtersOf(search)
  const [wantsTraits, setWantsTraits] = useState(false)
  const [isLong, setLong] = useState(false)
  const scope: Filters = traits && wantsTraits ? { traits } : {}
  const found = useRead('getDepth', { params: { slug }, query: scope }, { keep: true })
  return (
    <section aria-labelledby="order-book" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 py-4">
      <div className="flex flex-wrap items-center justify-between gap-2 px-4">
        <h2 id="order-book" className="text-h3">
          {words.title}
        </h2>
        {traits && (
          <ScopeSwitch label={labelOf(search)} wantsTraits={wantsTraits} setWantsTraits={setWantsTraits} />
        )}
      </div>
      <Loaded of={found}>
        {(depth) => (
          <>
            <BookSides
              slug={slug}
              depth={depth}
              scope={scope}
              most={isLong ? MAX_PRICES : COLLAPSED_PRICES}
            />
            {Math.max(depth.asks.length, depth.bids.length) > COLLAPSED_PRICES && (
              <Button kind="ghost" className="mx-4" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
                {isLong ? words.less : words.more}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

const labelOf = ({ traits }: CollectionSearch) =>
  Object.values(traits ?? {})
    .flat()
    .join(', ')

function ScopeSwitch({
  label,
  wantsTraits,
  setWantsTraits,
}: {
  label: string
  wantsTraits: boolean
  setWantsTraits: (wants: boolean) => void
}) {
  return (
    <fieldset className="flex min-w-0 rounded-control bg-raised p-0.5">
      <legend className="sr-only">{words.scope}</legend>
      {[false, true].map((each) => (
        <button
          key={String(each)}
          type="button"
          aria-pressed={wantsTraits === each}
          onClick={() => setWantsTraits(each)}
          dir="auto"
          className="min-h-8 max-w-36 truncate rounded-badge px-2.5 text-small text-soft aria-pressed:bg-surface aria-pressed:text-ink"
        >
          {each ? label : words.all}
        </button>
      ))}
    </fieldset>
  )
}
