import { middle } from '@ordbook/web-ui/format/names.ts'
import { goTo } from '@ordbook/web-ui/routing/routing.tsx'
import { SearchIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useGroups } from './groups.ts'
import { Line } from './line.tsx'
import { keepRecent } from './recent.ts'
import { type Group, isWhole, type Row } from './rows.ts'
import { palette as words } from './strings.ts'

export { goByKey } from './go-by-key.ts'
export { KeysDialog } from './keys-dialog.tsx'

/** Command palette with one search field for everything. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current!
    if (!dialog.open) dialog.showModal()
    return () => dialog.close()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-label={words.title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === ref.current && onClose()}
      onKeyDown={(event) => event.target === ref.current && onClose()}
      className="rise z-50 m-0 mx-auto mt-3 max-h-[calc(100dvh-24px)] w-[calc(100vw-24px)] max-w-[680px] flex-col overflow-hidden rounded-picture border border-line bg-surface p-0 text-ink shadow-floating open:flex md:mt-[10vh] md:max-h-[80dvh]"
    >
      <Finder onClose={onClose} />
    </dialog>
  )
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

function Finder({ onClose }: { onClose: () => void }) {
  const [typed, type] = useState('')
  const text = typed.trim()
  const { groups, of, isLooking, error } = useGroups(text)
  const rows = groups.flatMap((group) => group.rows)
  const [chosen, choose] = useState<string | null>(null)
  const active = rows.find((row) => row.key === chosen) ?? rows[0]
  const list = useId()
  const idOf = (row: Row) => `${list} ${row.key}`.replace(/\s/g, '-')
  const pasted = useRef<string | null>(null)
  const open = (row: Row) => {
    keepRecent(row)
    onClose()
  }
  const element = () => (active ? document.getElementById(idOf(active)) : null)
  // A pasted id or address opens its page.
  useEffect(() => {
    const [only] = rows
    if (pasted.current === null || of !== pasted.current || rows.length !== 1 || !only) return
    pasted.current = null
    keepRecent(only)
    onClose()
    goTo(only.target as { to: '/' })
  })
  useEffect(() => {
    element()?.scrollIntoView({ block: 'nearest' })
  })
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = STEPS[event.key]
    if (step && rows.length > 0) {
      event.preventDefault()
      const next = (rows.indexOf(active!) + step + rows.length) % rows.length
      choose(rows[next]!.key)
    } else if (event.key === 'Enter' && active) {
      event.preventDefault()
      if (!event.metaKey && !event.ctrlKey) element()?.click()
      else window.open(element()?.getAttribute('href') ?? '/', '_blank', 'noopener')
    }
  }
  return (
    <>
      <Field
        list={list}
        activeId={active && idOf(active)}
        isOpen={rows.length > 0}
        typed={typed}
        onType={(text) => {
          type(text)
          choose(null)
        }}
        onPasted={(whole) => {
          pasted.current = whole
        }}
        onKey={press}
        onClose={onClose}
      />
      <div
        id={list}
        role="listbox"
        aria-label={words.results}
        className="min-h-40 flex-1 overflow-y-auto overscroll-contain p-2"
      >
        {groups.map((group) => (
          <Lines
            key={group.label}
            group={group}
            text={text}
            active={active}
            idOf={idOf}
            onPoint={choose}
            onOpen={open}
          />
        ))}
      </div>
      <State text={text} found={rows.length} isLooking={isLooking} error={error} />
      <Keys />
    </>
  )
}

interface LinesProps {
  group: Group
  text: string
  active: Row | undefined
  idOf: (row: Row) => string
  onPoint: (key: string) => void
  onOpen: (row: Row) => void
}

function Lines({ group: { label, rows }, text, active, idOf, onPoint, onOpen }: LinesProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a listbox contains groups of options
    <div role="group" aria-label={label}>
      <p aria-hidden="true" className="px-3 pt-2 pb-1 text-caption text-soft">
        {label}
      </p>
      {rows.map((row) => (
        <Line
          key={row.key}
          id={idOf(row)}
          row={row}
          text={text}
          isActive={row === active}
          onPoint={() => onPoint(row.key)}
          onOpen={() => onOpen(row)}
        />
      ))}
    </div>
  )
}

interface FieldProps {
  list: string
  activeId: string | undefined
  isOpen: boolean
  typed: string
  onType: (text: string) => void
  onPasted: (whole: string | null) => void
  onKey: (event: KeyboardEvent) => void
  onClose: () => void
}

function Field({ list, activeId, isOpen, typed, onType, onPasted, onKey, onClose }: FieldProps) {
  return (
    <label className="flex min-h-15 items-center gap-3 border-b border-line px-4 md:px-5">
      <span className="sr-only">{words.field}</span>
      <SearchIcon className="shrink-0 text-lg" />
      <input
        type="search"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        value={typed}
        maxLength={100}
        onChange={(event) => onType(event.target.value)}
        onPaste={(event) => {
          const whole = event.clipboardData.getData('text').trim()
          onPasted(isWhole(whole) ? whole : null)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return onKey(event)
          // A search field would only be emptied.
          event.preventDefault()
          onClose()
        }}
        placeholder={words.hint}
        className="min-h-11 min-w-0 flex-1 bg-transparent text-[16px] outline-none placeholder:text-faint"
      />
      <button
        type="button"
        onClick={onClose}
        className="min-h-8 rounded-badge border border-line px-2 font-mono text-caption text-soft hover:text-ink"
      >
        esc<span className="sr-only"> {words.close}</span>
      </button>
    </label>
  )
}

interface StateProps {
  text: string
  found: number
  isLooking: boolean
  error: unknown
}

/** Status of the search. Only screen readers receive it if there are results. */
function State({ text, found, isLooking, error }: StateProps) {
  return (
    <p role="status" className={found > 0 ? 'sr-only' : 'px-5 pb-6 text-soft [overflow-wrap:anywhere]'}>
      {error
        ? words.failed
        : isLooking
          ? words.looking
          : found > 0
            ? words.found(found)
            : words.noMatch(middle(text, /\s/.test(text) ? 60 : 16))}
    </p>
  )
}

function Keys() {
  const key = 'rounded-badge border border-line px-1.5 font-mono'
  return (
    <div
      aria-hidden="true"
      className="hidden min-h-11 items-center gap-4 border-t border-line px-5 text-caption text-soft md:flex"
    >
      <span>
        <kbd className={key}>↑</kbd> <kbd className={key}>↓</kbd> {words.move}
      </span>
      <span>
        <kbd className={key}>↵</kbd> {words.open}
      </span>
      <span>
        <kbd className={key}>⌘ ↵</kbd> {words.newTab}
      </span>
      <span className="ml-auto">{words.paste}</span>
    </div>
  )
}
