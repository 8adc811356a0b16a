import { type ButtonHTMLAttributes, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { errorText } from '../error-text.ts'
import { amount, fullTime, ago as since } from '../format.ts'
import { useSettings } from '../settings.tsx'
import { CloseIcon } from './icons.tsx'

/** The pieces that every page is made of. */
export function Button({
  kind = 'plain',
  className = '',
  ...props
}: ButtonHTMLAttributes<HTMLButtonElement> & { kind?: 'main' | 'plain' | 'quiet' | 'danger' }) {
  return <button type="button" className={`${BUTTON} ${KINDS[kind]} ${className}`} {...props} />
}
export const BUTTON =
  'inline-flex min-h-10 items-center justify-center gap-2 rounded-lg px-4 text-sm font-medium transition-colors disabled:opacity-50'
export const KINDS = {
  main: 'bg-lamp text-lamp-ink hover:brightness-110',
  plain: 'border border-edge bg-sheet text-ink hover:bg-sunk',
  quiet: 'text-ink hover:bg-sunk',
  danger: 'border border-bad text-bad hover:bg-sunk',
}

/** An amount of sats in the unit that the visitor prefers; hovering shows the other units. */
export function Price({ sats, className = '' }: { sats: number | null; className?: string }) {
  const { unit, fiat } = useSettings()
  if (sats === null) return <span className={`text-soft ${className}`}>–</span>
  const shown = amount(sats, unit, fiat)
  const others = (['btc', 'sats', 'fiat'] as const)
    .filter((each) => each !== unit && (each !== 'fiat' || fiat))
    .map((each) => amount(sats, each, fiat))
    .map((each) => `${each.text} ${each.unit}`)
  return (
    <span className={`tabular whitespace-nowrap ${className}`} title={others.join(' · ')}>
      {shown.text} <span className="text-[0.8em] text-soft">{shown.unit}</span>
    </span>
  )
}

export function Change({ value }: { value: number | null }) {
  if (value === null) return <span className="text-soft">–</span>
  return (
    <span className={`tabular ${value > 0 ? 'text-good' : value < 0 ? 'text-bad' : 'text-soft'}`}>
      {value > 0 ? '▲ ' : value < 0 ? '▼ ' : ''}
      {Math.abs(value).toFixed(1)} %
    </span>
  )
}

/** When something happened; a block may say a time that is not yet. `until`: when something will. */
export function Time({ at, until = false }: { at: string; until?: boolean }) {
  return (
    <time dateTime={at} title={fullTime(at)} className="whitespace-nowrap">
      {until ? since(at) : since(new Date(Math.min(Date.parse(at), Date.now())).toISOString())}
    </time>
  )
}

export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div role="status" className="grid place-items-center gap-3 py-16 text-soft">
      <span
        className="size-6 animate-spin rounded-full border-2 border-line border-t-lamp"
        aria-hidden="true"
      />
      <span>{what}…</span>
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="panel grid place-items-center gap-2 px-6 py-14 text-center">
      <p className="text-lg font-medium">{title}</p>
      {children && <div className="max-w-prose text-soft">{children}</div>}
    </div>
  )
}

export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  return (
    <div role="alert" className="panel grid place-items-center gap-3 px-6 py-12 text-center">
      <p className="text-lg font-medium">This did not work</p>
      <p className="max-w-prose text-soft">{errorText(error)}</p>
      {again && <Button onClick={again}>Try again</Button>}
    </div>
  )
}

/** Loading, failed, or what there is. */
export function Loaded<T>({
  of,
  what,
  children,
}: {
  of: { data: T | undefined; error: unknown; refetch: () => unknown }
  what?: string
  children: (data: T) => ReactNode
}) {
  if (of.data !== undefined) return children(of.data)
  if (of.error) return <Failed error={of.error} again={() => void of.refetch()} />
  return <Loading {...(what ? { what } : {})} />
}

/** A dialog of the browser's own: focus stays in it, Escape closes it, what is behind it is out of reach. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string
  onClose: () => void
  children: ReactNode
  wide?: boolean
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const dialog = ref.current!
    if (!dialog.open) dialog.showModal()
    return () => dialog.close()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className={`panel m-auto max-h-[92dvh] w-[calc(100vw-1.5rem)] ${wide ? 'max-w-3xl' : 'max-w-lg'} bg-sheet p-0 text-ink`}
    >
      <div className="sticky top-0 z-10 flex items-center justify-between gap-4 border-b border-line bg-sheet px-5 py-3">
        <h2 id={heading} className="text-lg font-semibold">
          {title}
        </h2>
        <Button kind="quiet" className="!px-2" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </Button>
      </div>
      <div className="p-5">{children}</div>
    </dialog>
  )
}

export function Field({ label, hint, children }: { label: string; hint?: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className="grid gap-1.5 text-sm">
      <span className="font-medium">{label}</span>
      {children}
      {hint && <span className="text-soft">{hint}</span>}
    </label>
  )
}
export const INPUT =
  'min-h-10 w-full rounded-lg border border-edge bg-sheet px-3 text-base text-ink placeholder:text-soft'

/** One of a few values, each with its words. `inline`: in a line with its label. */
export function Select<T extends string | number>({
  options,
  value,
  onChange,
  inline = false,
}: {
  options: readonly (readonly [T, string])[]
  value: T
  onChange: (value: T) => void
  inline?: boolean
}) {
  return (
    <select
      value={value}
      onChange={(event) => onChange(options.find(([each]) => String(each) === event.target.value)![0])}
      className={inline ? 'min-h-10 rounded-lg border border-edge bg-sheet px-2 text-ink' : INPUT}
    >
      {options.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  )
}

export function Badge({
  children,
  tone = 'soft',
}: {
  children: ReactNode
  tone?: 'soft' | 'lamp' | 'good' | 'bad'
}) {
  const tones = {
    soft: 'bg-sunk text-soft',
    lamp: 'bg-glow text-lamp',
    good: 'bg-sunk text-good',
    bad: 'bg-sunk text-bad',
  }
  return <span className={`rounded-full px-2 py-0.5 text-xs font-medium ${tones[tone]}`}>{children}</span>
}

/** A long text, shown short, that a press copies. */
export function Copyable({ text, shown, what }: { text: string; shown: string; what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <>
      <button
        type="button"
        title={text}
        onClick={() => void copy()}
        className="min-h-6 font-mono text-xs underline decoration-dotted"
      >
        {shown}
        <span className="sr-only">, copy the {what}</span>
      </button>
      <span role="status" className="text-xs text-good">
        {isCopied && ' copied'}
      </span>
    </>
  )
}

/** Tabs by the keyboard too: arrows move between them. */
export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string
  tabs: readonly { id: T; label: ReactNode }[]
  value: T
  onChange: (id: T) => void
}) {
  return (
    <div role="tablist" aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map((tab, n) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          aria-selected={value === tab.id}
          tabIndex={value === tab.id ? 0 : -1}
          onClick={() => onChange(tab.id)}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
            if (step === 0) return
            const next = (n + step + tabs.length) % tabs.length
            onChange(tabs[next]!.id)
            ;(event.currentTarget.parentElement!.children[next] as HTMLElement).focus()
          }}
          className={`min-h-11 shrink-0 border-b-2 px-3 text-sm font-medium ${value === tab.id ? 'border-lamp text-ink' : 'border-transparent text-soft hover:text-ink'}`}
        >
          {tab.label}
        </button>
      ))}
    </div>
  )
}

/** A button for the next page of a list; nothing where there is none. */
export function More({
  of,
}: {
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}) {
  if (!of.hasNextPage) return null
  return (
    <div className="grid place-items-center py-6">
      <Button onClick={() => void of.fetchNextPage()} disabled={of.isFetchingNextPage}>
        {of.isFetchingNextPage ? 'Loading…' : 'Show more'}
      </Button>
    </div>
  )
}
