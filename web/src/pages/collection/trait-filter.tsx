import type { Answer } from '@ordbook/sdk/operations.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { filters as words } from '@ordbook/web-ui/strings/collection.ts'
import { Badge, INPUT, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { memo, useMemo, useState } from 'react'
import { matchingValues, orderValues, rowsInView } from './trait-values.ts'

type Trait = Answer<'listTraits'>['traits'][number]

/** Longer lists have a search field. */
const MAX_AT_A_GLANCE = 12
/** Longer lists are virtualized. */
const MAX_ROWS = 100
const HEIGHT = 288
const ROW_HEIGHT = 32

const NONE: readonly string[] = []

interface Props {
  trait: Trait
  chosen: readonly string[] | undefined
  startsOpen: boolean
  toggle: (type: string, value: string) => void
}

export const TraitFilter = memo(function TraitFilter({
  trait: { type, values },
  chosen = NONE,
  startsOpen,
  toggle,
}: Props) {
  const [isOpen, setOpen] = useState(startsOpen)
  const [text, setText] = useState('')
  const ordered = useMemo(() => orderValues(values), [values])
  // Hide values without items under the other filters, unless selected.
  const left = useMemo(
    () => ordered.filter((each) => each.count > 0 || chosen.includes(each.value)),
    [ordered, chosen],
  )
  const shown = useMemo(() => matchingValues(left, text), [left, text])
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="py-1 text-sm font-medium [overflow-wrap:anywhere]">
        {type} <Badge>{count(left.length)}</Badge>
      </summary>
      {isOpen && (
        <>
          {values.length > MAX_AT_A_GLANCE && (
            <input
              type="search"
              value={text}
              onChange={(event) => setText(event.target.value)}
              aria-label={words.searchIn(type)}
              placeholder={words.search}
              className={`${INPUT} mt-1`}
            />
          )}
          <Values values={shown} text={text} chosen={chosen} toggle={(value) => toggle(type, value)} />
        </>
      )}
    </details>
  )
})

function Values({
  values,
  text,
  chosen,
  toggle,
}: {
  values: Readonly<Trait['values']>
  text: string
  chosen: readonly string[]
  toggle: (value: string) => void
}) {
  const [scrolled, setScrolled] = useState(0)
  if (values.length === 0)
    return <p className="py-2 text-sm text-soft">{text === '' ? words.noneLeft : words.noValue}</p>
  const isLong = values.length > MAX_ROWS
  const list = { height: HEIGHT, rowHeight: ROW_HEIGHT, count: values.length }
  const { from, to } = isLong ? rowsInView(scrolled, list) : { from: 0, to: values.length }
  return (
    <div
      className="mt-1 max-h-72 overflow-y-auto pr-1"
      onScroll={isLong ? (event) => setScrolled(event.currentTarget.scrollTop) : undefined}
    >
      <ul style={{ paddingTop: from * ROW_HEIGHT, paddingBottom: (values.length - to) * ROW_HEIGHT }}>
        {values.slice(from, to).map(({ value, count: itemCount, floorSats }) => (
          <li key={value}>
            <label
              className={`flex h-8 items-center gap-2 rounded px-1 text-sm hover:bg-raised ${itemCount === 0 ? 'text-soft' : ''}`}
            >
              <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
              <span className="min-w-0 flex-1 truncate" dir="auto">
                <Marked text={value} part={text.trim()} />
              </span>
              {floorSats !== null && <Price sats={floorSats} className="text-xs" />}
              <span className="text-xs text-soft">{count(itemCount)}</span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Marked({ text, part }: { text: string; part: string }) {
  const at = part === '' ? -1 : text.toLowerCase().indexOf(part.toLowerCase())
  // Some letters change length in lower case.
  if (at < 0 || text.toLowerCase().length !== text.length) return text
  return (
    <>
      {text.slice(0, at)}
      <span className="underline decoration-accent decoration-2">{text.slice(at, at + part.length)}</span>
      {text.slice(at + part.length)}
    </>
  )
}
