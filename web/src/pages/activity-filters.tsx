import { afterPaint } from '../ui/after-paint.ts'
import { activity as words } from '../words/activity.ts'
import type { EventKind } from './activity-list.tsx'

const KINDS = Object.keys(words.filters) as (keyof typeof words.filters)[]

/** The kind of events that an address names; undefined: of all kinds. */
export const kindIn = (text: string | undefined): EventKind | undefined =>
  KINDS.find((each): each is EventKind => each === text && each !== 'all')

/** Chooses the kind of events that a list of activity shows. */
export function ActivityFilters({
  kind,
  choose,
}: {
  kind: EventKind | undefined
  choose: (kind: EventKind | undefined) => void
}) {
  return (
    <fieldset className="flex min-w-0 gap-2 overflow-x-auto p-0.5">
      <legend className="sr-only">{words.show}</legend>
      {KINDS.map((each) => {
        const isChosen = each === (kind ?? 'all')
        return (
          <button
            key={each}
            type="button"
            aria-pressed={isChosen}
            onClick={() => afterPaint(() => choose(each === 'all' ? undefined : each))}
            className={`min-h-10 shrink-0 rounded-control border px-4 font-[560] ${isChosen ? 'border-ink bg-ink text-bg' : 'border-line bg-raised hover:border-edge'}`}
          >
            {words.filters[each]}
          </button>
        )
      })}
    </fieldset>
  )
}
