import { useSearch, useSetSearch } from '../routing/routing.tsx'
import { activity as words } from '../words/activity.ts'
import { ActivityList, type EventKind } from './activity-list.tsx'

const KINDS = Object.keys(words.filters) as (keyof typeof words.filters)[]

/** The activity of the whole market, all of it or of one kind. */
export default function ActivityPage() {
  const search = useSearch({ from: '/activity' })
  const setSearch = useSetSearch({ from: '/activity' })
  const chosen = KINDS.find((each) => each === search.kind) ?? 'all'
  const kind: EventKind | undefined = chosen === 'all' ? undefined : chosen
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <h1 className="text-h1">{words.title}</h1>
      <fieldset className="flex min-w-0 gap-2 overflow-x-auto">
        <legend className="sr-only">{words.show}</legend>
        {KINDS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === chosen}
            onClick={() => setSearch(() => ({ kind: each === 'all' ? undefined : each }))}
            className={`min-h-10 shrink-0 rounded-control border px-4 font-[560] ${each === chosen ? 'border-ink bg-ink text-bg' : 'border-line bg-raised hover:border-edge'}`}
          >
            {words.filters[each]}
          </button>
        ))}
      </fieldset>
      <ActivityList about={{ kind }} />
    </div>
  )
}
