import { useSearch, useSetSearch } from '../routing/routing.tsx'
import { activity as words } from '../words/activity.ts'
import { ActivityFilters, kindIn } from './activity-filters.tsx'
import { ActivityHead } from './activity-head.tsx'
import { ActivityList } from './activity-list.tsx'

/** The activity of the whole market, all of it or of one kind. */
export default function ActivityPage() {
  const search = useSearch({ from: '/activity' })
  const setSearch = useSetSearch({ from: '/activity' })
  const kind = kindIn(search.kind)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <div className="flex flex-wrap items-end justify-between gap-x-7 gap-y-3">
        <h1 className="text-h1">{words.title}</h1>
        <ActivityHead />
      </div>
      <ActivityFilters kind={kind} choose={(next) => setSearch(() => ({ kind: next }))} />
      <ActivityList about={{ kind }} />
    </div>
  )
}
