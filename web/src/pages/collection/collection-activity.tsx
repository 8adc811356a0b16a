import { ActivityFilters, kindIn } from '../activity/activity-filters.tsx'
import { ActivityList, type EventKind } from '../activity/activity-list.tsx'

export function CollectionActivity({
  slug,
  kind,
  choose,
}: {
  slug: string
  kind: string | undefined
  choose: (kind: EventKind | undefined) => void
}) {
  const chosen = kindIn(kind)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <ActivityFilters kind={chosen} choose={choose} />
      <ActivityList about={{ slug, kind: chosen }} />
    </div>
  )
}
