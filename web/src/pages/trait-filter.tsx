import type { Answer } from '@ordbook/sdk/operations.ts'
import { useState } from 'react'
import { Badge, INPUT, Price } from '../ui/basics.tsx'
import { matchingValues, orderValues, rowsInView } from './trait-values.ts'

type Trait = Answer<'listTraits'>['traits'][number]

/** Longer lists have a search. */
const MOST_AT_A_GLANCE = 12
/** Longer lists render the rows in view alone. */
const MOST_ROWS = 100
const HEIGHT = 288
const ROW_HEIGHT = 32

/** The values of one trait, with their floors and counts. */
export function TraitFilter({
  trait: { type, values },
  chosen = [],
  startsOpen,
  toggle,
}: {
  trait: Trait
  chosen: readonly string[] | undefined
  startsOpen: boolean
  toggle: (value: string) => void
}) {
  const [isOpen, setOpen] = useState(startsOpen)
  const [text, setText] = useState('')
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="py-1 text-sm font-medium [overflow-wrap:anywhere]">
        {type} <Badge>{values.length}</Badge>
      </summary>
      {isOpen && (
        <>
          {values.length > MOST_AT_A_GLANCE && (
            <input
              type="search"
              value={text}
              onChange={(event) => setText(event.target.value)}
              aria-label={`Search ${type}`}
              placeholder="Search"
              className={`${INPUT} mt-1`}
            />
          )}
          <Values values={matchingValues(orderValues(values), text)} chosen={chosen} toggle={toggle} />
        </>
      )}
    </details>
  )
}

function Values({
  values,
  chosen,
  toggle,
}: {
  values: Readonly<Trait['values']>
  chosen: readonly string[]
  toggle: (value: string) => void
}) {
  const [scrolled, setScrolled] = useState(0)
  if (values.length === 0) return <p className="py-2 text-sm text-soft">No value like this.</p>
  const isLong = values.length > MOST_ROWS
  const list = { height: HEIGHT, rowHeight: ROW_HEIGHT, count: values.length }
  const { from, to } = isLong ? rowsInView(scrolled, list) : { from: 0, to: values.length }
  return (
    <div
      className="mt-1 max-h-72 overflow-y-auto pr-1"
      onScroll={isLong ? (event) => setScrolled(event.currentTarget.scrollTop) : undefined}
    >
      <ul style={{ paddingTop: from * ROW_HEIGHT, paddingBottom: (values.length - to) * ROW_HEIGHT }}>
        {values.slice(from, to).map(({ value, count: held, floorSats }) => (
          <li key={value}>
            <label
              className={`flex h-8 items-center gap-2 rounded px-1 text-sm hover:bg-raised ${held === 0 ? 'text-soft' : ''}`}
            >
              <input
                type="checkbox"
                checked={chosen.includes(value)}
                onChange={() => toggle(value)}
                className="size-4 shrink-0 accent-(--amber)"
              />
              <span className="min-w-0 flex-1 truncate" dir="auto">
                {value}
              </span>
              {floorSats !== null && <Price sats={floorSats} className="text-xs" />}
              <span className="text-xs text-soft">{held}</span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  )
}
