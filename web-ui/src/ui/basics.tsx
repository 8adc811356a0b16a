import { type ButtonHTMLAttributes, type ReactNode, useEffect, useState } from 'react'
import { errorText } from '../api/error-text.ts'
import { useSettings } from '../api/settings.tsx'
import { amount, fullTime, ago as since } from '../format/format.ts'
import { WarningIcon } from './icons.tsx'
import { useColumnAmount } from './price-column.tsx'
import { Skeleton } from './skeleton.tsx'

/**
 * `busy`: ignores presses. `reason`: why it is disabled; replaces the label. `large`: main action of a page. Use `main` only for the one
 * primary action in view.
 */
export function Button({
  kind = 'plain',
  busy = false,
  reason,
  large = false,
  className = '',
  children,
  onClick,
  disabled,
  ...props
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: keyof typeof KINDS
  busy?: boolean
  reason?: string | undefined
  large?: boolean
}) {
  return (
    <button
      type="button"
      className={`${BUTTON} ${KINDS[kind]} ${large ? 'min-h-13 text-[16px]' : ''} ${className}`}
      disabled={disabled || reason !== undefined}
      // A disabled button would lose focus.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...props}
    >
      {busy && <Spinner />}
      {reason ?? children}
    </button>
  )
}
export const BUTTON =
  'inline-flex min-h-10 max-w-full items-center justify-center gap-2 rounded-button px-4 text-[14px] font-[560] transition-[background-color,border-color,filter,opacity] active:brightness-95 disabled:opacity-60'
export const KINDS = {
  main: 'bg-amber font-semibold text-on-amber hover:brightness-105 disabled:bg-raised disabled:text-soft',
  sell: 'bg-up-bg text-up hover:brightness-110',
  plain: 'border border-line bg-raised text-ink hover:border-edge',
  ghost: 'text-ink hover:bg-raised',
  danger: 'border border-down text-down hover:bg-down-bg',
}

function Spinner() {
  return (
    <span
      className="size-4 shrink-0 animate-spin rounded-full border-2 border-current border-t-transparent"
      aria-hidden="true"
    />
  )
}

/** Amount in the visitor's unit, with other units in the tooltip. */
export function Price({ sats, className = '' }: { sats: number | null; className?: string }) {
  const { unit, fiat } = useSettings()
  const columnAmount = useColumnAmount()
  if (sats === null) return <span className={`text-soft ${className}`}>–</span>
  const shown = columnAmount(sats, unit, fiat)
  const isExact = amount(sats, unit, fiat).text === shown.text
  const others = (['btc', 'sats', 'fiat'] as const)
    .filter((each) => (each !== unit || !isExact) && (each !== 'fiat' || fiat))
    .map((each) => amount(sats, each, fiat))
    .map((each) => `${each.text} ${each.unit}`)
  return (
    <span className={`tabular whitespace-nowrap ${className}`} title={others.join(' · ')}>
      {shown.text} <span className="text-[0.8em] text-soft">{shown.unit}</span>
    </span>
  )
}

/** Signed percentage. Colour alone is not accessible. */
export function Change({ value }: { value: number | null }) {
  if (value === null) return <span className="text-soft">–</span>
  const sign = value > 0 ? '+' : value < 0 ? '−' : ''
  return (
    <span className={`tabular ${value > 0 ? 'text-up' : value < 0 ? 'text-down' : 'text-soft'}`}>
      {sign}
      {Math.abs(value).toFixed(1)}%
    </span>
  )
}

/** Relative time. Clamped to now, because block times can be in the future. `until`: the event is in the future. */
export function Time({ at, until = false }: { at: string; until?: boolean }) {
  return (
    <time dateTime={at} title={fullTime(at)} className="whitespace-nowrap">
      {until ? since(at) : since(new Date(Math.min(Date.parse(at), Date.now())).toISOString())}
    </time>
  )
}

/** Skeleton of loading content. Screen readers announce `what`. */
export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div role="status" className="py-2">
      <span className="sr-only">{what}…</span>
      <Skeleton rows={4} />
    </div>
  )
}

/** Empty state of a list. `children` can contain one action. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="panel grid place-items-center gap-2 px-6 py-12 text-center">
      <p className="text-h3">{title}</p>
      {children && <div className="max-w-prose text-soft">{children}</div>}
    </div>
  )
}

export function Failed({ error, again, title }: { error: unknown; again?: () => void; title?: string }) {
  return (
    <div role="alert" className="panel grid place-items-center gap-3 px-6 py-10 text-center">
      <WarningIcon className="text-2xl text-down" />
      <p className="text-h3">{title ?? 'This did not load'}</p>
      <p className="max-w-prose text-soft [overflow-wrap:anywhere]">{errorText(error)}</p>
      {again && <Button onClick={again}>Try again</Button>}
    </div>
  )
}

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
  'min-h-11 w-full rounded-button border border-edge bg-surface px-3 text-[16px] text-ink placeholder:text-faint md:text-body'

/** Drop-down of `[value, text]` options. `label`: accessible name, if no element labels it. */
export function Select<T extends string | number>({
  options,
  value,
  onChange,
  inline = false,
  label,
}: {
  options: readonly (readonly [T, string])[]
  value: T
  onChange: (value: T) => void
  inline?: boolean
  label?: string
}) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(options.find(([each]) => String(each) === event.target.value)![0])}
      className={
        inline ? 'min-h-10 max-w-full rounded-button border border-edge bg-surface px-2 text-ink' : INPUT
      }
    >
      {options.map(([each, optionText]) => (
        <option key={each} value={each}>
          {optionText}
        </option>
      ))}
    </select>
  )
}

/** Badge. The text must be clear without `tone`. */
export function Badge({ children, tone = 'soft' }: { children: ReactNode; tone?: keyof typeof TONES }) {
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1 rounded-badge px-1.5 py-0.5 text-badge font-semibold ${TONES[tone]}`}
    >
      {children}
    </span>
  )
}
const TONES = {
  soft: 'bg-raised text-soft',
  lamp: 'bg-tint text-accent',
  good: 'bg-up-bg text-up',
  bad: 'bg-down-bg text-down',
  info: 'bg-info-bg text-info',
}

/** Shortened text. A press copies the full text. */
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
      <span role="status" className="text-xs text-up">
        {isCopied && ' copied'}
      </span>
    </>
  )
}

export function Tabs<T extends string>({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string
  tabs: readonly { id: T; label: ReactNode; count?: string | undefined }[]
  value: T
  onChange: (id: T) => void
}) {
  // Selected at once, because the panel may take long to render.
  const [pressed, press] = useState<T | null>(null)
  const selected = pressed ?? value
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panel has changed
  useEffect(() => press(null), [value])
  const choose = (id: T) => {
    press(id)
    onChange(id)
  }
  return (
    <div role="tablist" aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map((tab, n) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          aria-selected={selected === tab.id}
          tabIndex={selected === tab.id ? 0 : -1}
          onClick={() => choose(tab.id)}
          onKeyDown={(event) => {
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
            if (step === 0) return
            const next = (n + step + tabs.length) % tabs.length
            choose(tabs[next]!.id)
            ;(event.currentTarget.parentElement!.children[next] as HTMLElement).focus()
          }}
          className={`min-h-11 shrink-0 border-b-2 px-3 text-sm font-medium ${selected === tab.id ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink'}`}
        >
          {tab.label}
          {tab.count !== undefined && <span className="tabular font-normal text-soft"> {tab.count}</span>}
        </button>
      ))}
    </div>
  )
}

/** Button that loads the next page. */
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
