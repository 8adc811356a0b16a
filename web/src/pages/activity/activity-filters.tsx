import { Choice } from '@ordbook/web-ui/ui/choice.tsx'
import type { EventKind } from './activity-list.tsx'
import { activity as words } from './strings.ts'

const KINDS = Object.keys(words.filters) as (keyof typeof words.filters)[]

export const kindIn = (text: string | undefined): EventKind | undefined =>
  KINDS.find((kind): kind is EventKind => kind === text && kind !== 'all')

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
        return (
          <Choice
            key={each}
            isOn={each === (kind ?? 'all')}
            onClick={() => choose(each === 'all' ? undefined : each)}
          >
            {words.filters[each]}
          </Choice>
        )
      })}
    </fieldset>
  )
}
