import { usePages, useSettled } from '@ordbook/web-ui/api/client.ts'
import { useSearch, useSetSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { useWatchlist } from '@ordbook/web-ui/state/watchlist.ts'
import { home, collections as words } from '@ordbook/web-ui/strings/home.ts'
import { Empty, INPUT } from '@ordbook/web-ui/ui/basics.tsx'
import { Choice } from '@ordbook/web-ui/ui/choice.tsx'
import { StarIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { useEffect, useState } from 'react'
import { CollectionTable } from './collection-table.tsx'
import { RankingControls, rankingIn } from './ranking.tsx'

const MAX_LETTERS = 100

export default function CollectionsPage() {
  const search = useSearch({ from: '/collections' })
  const setSearch = useSetSearch({ from: '/collections' })
  const watchlist = useWatchlist()
  const ranking = rankingIn(search)
  const q = search.q?.trim().slice(0, MAX_LETTERS)
  const isWatched = search.watched === true && watchlist.length > 0
  const query = {
    ...ranking,
    ...(q ? { q } : {}),
    ...(isWatched ? { slugs: watchlist.toSorted().join(',') } : {}),
  }
  const found = usePages('browseCollections', { query })
  const set = (next: Partial<typeof search>) =>
    setSearch((before) => ({ ...before, ...next }), { replace: true })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <div className="flex flex-wrap items-center justify-between gap-x-7 gap-y-3">
        <h1 className="text-h1">{words.title}</h1>
        <NameField value={search.q ?? ''} change={(name) => set({ q: name || undefined })} />
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <RankingControls ranking={ranking} set={set}>
          {watchlist.length > 0 && (
            <Choice isOn={isWatched} onClick={() => set({ watched: isWatched ? undefined : true })}>
              <StarIcon />
              {home.watchlist}
            </Choice>
          )}
        </RankingControls>
      </div>
      <LoadedList
        of={found}
        rows={(page) => page.collections}
        what={home.loadingCollections}
        empty={<Empty title={q ? words.noneNamed(q) : home.noCollections} />}
      >
        {(rows) => <CollectionTable rows={rows} sort={ranking.sort} onSort={(next) => set({ sort: next })} />}
      </LoadedList>
    </div>
  )
}

/** Search field that updates the address when the visitor stops typing. */
function NameField({ value, change }: { value: string; change: (name: string) => void }) {
  const [typed, type] = useState(value)
  const settled = useSettled(typed)
  useEffect(() => {
    if (settled === typed && settled !== value) change(settled)
  })
  return (
    <label className="w-full sm:max-w-80">
      <span className="sr-only">{words.find}</span>
      <input
        type="search"
        value={typed}
        maxLength={MAX_LETTERS}
        placeholder={words.findHint}
        onChange={(event) => type(event.target.value)}
        className={INPUT}
      />
    </label>
  )
}
