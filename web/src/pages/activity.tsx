import { useRead } from '../client.ts'
import { useSearch, useSetSearch } from '../routing/routing.tsx'
import { Select } from '../ui/basics.tsx'
import { activity as words } from '../words/activity.ts'
import { verification } from '../words/pages.ts'
import { ActivityFilters, kindIn } from './activity-filters.tsx'
import { ActivityHead } from './activity-head.tsx'
import { ActivityList } from './activity-list.tsx'

const SLUG = /^[a-z0-9_-]{1,200}$/

/** The collection that an address names, and those to choose from: the ones that trade most. A menu holds no marks, but words. */
function useCollectionChoice(text: string | undefined) {
  const { data } = useRead('browseCollections', { query: { sort: 'volume' } })
  const slug = text !== undefined && SLUG.test(text) ? text : undefined
  const found = (data?.collections ?? []).map(
    (each) => [each.slug, verification.named(each.name, each.verificationStatus)] as const,
  )
  const isKnown = slug === undefined || found.some(([each]) => each === slug)
  return {
    slug,
    options: [['', words.allCollections] as const, ...(isKnown ? [] : [[slug, slug] as const]), ...found],
  }
}

/** The activity of the whole market, all of it or of one kind. */
export default function ActivityPage() {
  const search = useSearch({ from: '/activity' })
  const setSearch = useSetSearch({ from: '/activity' })
  const kind = kindIn(search.kind)
  const { slug, options } = useCollectionChoice(search.slug)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <div className="flex flex-wrap items-end justify-between gap-x-7 gap-y-3">
        <h1 className="text-h1">{words.title}</h1>
        <ActivityHead />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <ActivityFilters kind={kind} choose={(next) => setSearch((before) => ({ ...before, kind: next }))} />
        <Select
          inline
          label={words.collection}
          options={options}
          value={slug ?? ''}
          onChange={(next) => setSearch((before) => ({ ...before, slug: next || undefined }))}
        />
      </div>
      <ActivityList about={{ kind, ...(slug ? { slug } : {}) }} />
    </div>
  )
}
