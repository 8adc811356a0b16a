import { ActivityFilters, kindIn } from '../activity/activity-filters.tsx'
import { ActivityList, type EventKind } from '../activity/activity-list.tsx'
import { FeedLink } from '../parts/feed-link.tsx'

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
      <div className="flex flex-wrap items-center justify-between gap-3">
        <ActivityFilters kind={chosen} choose={choose} />
        <FeedLink of="collection" id={slug} />
      </div>
      <ActivityList about={{ slug, kind: chosen }} />
    </div>
  )
}
