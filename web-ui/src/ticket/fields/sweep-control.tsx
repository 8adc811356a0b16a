import { useEffect, useRef, useState } from 'react'
import { useSettings } from '../../api/settings.tsx'
import { type AmountText, filledAmount, satsIn } from '../../money/amount-text.ts'
import { type CartLine, MAX_AT_ONCE } from '../../rules/cart-lines.ts'
import { useSession } from '../../session/session.tsx'
import { sweepTicket as words } from '../../strings/sweep.ts'
import { Button } from '../../ui/basics.tsx'
import { cheapestOf } from '../cheapest.ts'
import { AmountField, useFirstUnit } from './amount-field.tsx'
import { CountField } from './count-field.tsx'

const DEBOUNCE_MS = 250

interface Props {
  slug: string
  /** Filters of the sweep, as JSON. */
  sweep: string
  lines: readonly CartLine[]
  others: readonly CartLine[]
  onReplace: (lines: readonly CartLine[]) => void
}

export function SweepControl({ slug, sweep, lines, others, onReplace }: Props) {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const { maxSats, traits } = filtersIn(sweep)
  const [limit, setLimit] = useState<AmountText>(
    maxSats ? filledAmount(maxSats, unit, fiat) : { text: '', unit },
  )
  const { requestedCount, note, request } = useResweep({ slug, sweep, lines, others, onReplace })
  const room = MAX_AT_ONCE - others.length
  const count = requestedCount ?? lines.length
  const choose = (next: number) => {
    const isAny = limit.text.trim() === ''
    request(next, isAny ? null : (satsIn(limit, fiat) ?? maxSats))
  }
  const chooseLimit = (next: AmountText) => {
    setLimit(next)
    const sats = satsIn(next, fiat)
    if (next.text.trim() === '') request(count, null)
    else if (sats !== null && sats > 0) request(count, sats)
  }
  return (
    <section aria-label={words.title} className="grid gap-3 rounded-lg bg-raised p-3">
      <div className="flex items-center justify-between gap-3">
        <h3 dir="auto" className="min-w-0 truncate text-h3">
          {traits ? words.of(traits) : words.title}
        </h3>
        <Button kind="ghost" className="!min-h-8 !px-2" onClick={() => onReplace([])}>
          {words.clear}
        </Button>
      </div>
      <div className="flex items-center gap-3">
        <CountField label={words.count} slider={words.slider} value={count} most={room} onChange={choose} />
      </div>
      <p className="min-h-4 text-caption text-soft" aria-live="polite">
        {note ?? words.most(MAX_AT_ONCE)}
      </p>
      <AmountField
        label={words.limit}
        value={limit}
        onChange={chooseLimit}
        isSent={false}
        isOptional
        hint={words.limitHint}
      />
    </section>
  )
}

/** Reloads the items of a sweep. `requestedCount` is null after the response. */
function useResweep({ slug, sweep, others, onReplace }: Props) {
  const { account } = useSession()
  const [requestedCount, setRequestedCount] = useState<number | null>(null)
  const [note, setNote] = useState<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const find = async (count: number, maxSats: number | null, requestId: number) => {
    const except = new Set(others.map((line) => line.inscriptionId))
    const found = await cheapestOf(slug, limitedTo(sweep, maxSats), {
      count,
      owner: account?.ordinalsAddress,
      except,
    }).catch(() => null)
    // Ignore responses to earlier requests.
    if (requestId !== latest.current) return
    setRequestedCount(null)
    setNote(
      found === null
        ? words.failed
        : found.length === 0
          ? words.none
          : found.length < count
            ? words.fewer(found.length)
            : null,
    )
    if (found && found.length > 0) onReplace(found)
  }
  const request = (count: number, maxSats: number | null) => {
    setRequestedCount(count)
    clearTimeout(timer.current)
    const requestId = ++latest.current
    timer.current = setTimeout(() => void find(count, maxSats, requestId), DEBOUNCE_MS)
  }
  return { requestedCount, note, request }
}

/** Returns the filters of a sweep. The stored fields are unchecked. */
function filtersIn(sweep: string): { maxSats: number | null; traits: string } {
  const { maxSats, traits } = JSON.parse(sweep) as Record<string, unknown>
  return {
    maxSats: typeof maxSats === 'number' && Number.isSafeInteger(maxSats) && maxSats > 0 ? maxSats : null,
    traits: traitsIn(traits),
  }
}

function traitsIn(text: unknown): string {
  try {
    const groups: { values: string[] }[] = JSON.parse(String(text))
    return groups.flatMap((group) => group.values).join(', ')
  } catch {
    return ''
  }
}

/** Sets the maximum price of a sweep. Null removes it. */
function limitedTo(sweep: string, maxSats: number | null): string {
  const { maxSats: _, ...filters } = JSON.parse(sweep) as Record<string, unknown>
  return JSON.stringify(maxSats === null ? filters : { ...filters, maxSats })
}
