import { type ReactNode, useId, useState } from 'react'
import { useSettings } from '../../api/settings.tsx'
import { amount } from '../../format/format.ts'
import { type AmountText, confirmed, inUnit } from '../../money/amount-text.ts'
import { visitorLocale } from '../../money/marks.ts'
import { parseAmount, type Typed } from '../../money/parse.ts'
import { amountTyped } from '../../money/typed.ts'
import type { Unit } from '../../money/units.ts'
import { problemText, ticket } from '../../strings/trade.ts'
import { INPUT, Select } from '../../ui/basics.tsx'
import { Guard } from '../../ui/guard.tsx'

export function useFirstUnit(): Unit {
  const { unit, fiat } = useSettings()
  return unit === 'fiat' && (!fiat || fiat.isStale) ? 'btc' : unit
}

interface Props {
  label: string
  value: AmountText
  onChange: (value: AmountText) => void
  stepSats?: number
  leastSats?: number
  /** True if this amount was submitted, which also reports missing amounts. */
  isSent: boolean
  /** True if the field may be empty. */
  isOptional?: boolean
  hint?: ReactNode
}

/** Input of an amount, with other units shown below. */
export function AmountField(props: Props) {
  const { label, value, onChange, stepSats = 1, leastSats = 1, isSent, isOptional = false, hint } = props
  const { fiat } = useSettings()
  const [field, about] = [useId(), useId()]
  const [isFocused, setFocused] = useState(false)
  // Text that the visitor typed last. Another text was filled in, or is the empty field of a new form.
  const [ownText, setOwnText] = useState<string | null>(null)
  const typed = parseAmount(value.text, { unit: value.unit, locale: visitorLocale, fiat, stepSats })
  const sats = typed.kind === 'sats' ? typed.sats : null
  const isLeft = isSent || (!isOptional && !isFocused && ownText === value.text)
  const problem = problemIn(typed, value.unit, leastSats, { isSent, isLeft })
  const type = (text: string) => {
    setOwnText(text)
    onChange({ text, unit: value.unit })
  }
  const units: [Unit, string][] = [
    ['btc', 'BTC'],
    ['sats', 'sats'],
  ]
  if (fiat && !fiat.isStale) units.push(['fiat', fiat.currency])
  const others = sats
    ? units.filter(([unit]) => unit !== value.unit).map(([unit]) => amount(sats, unit, fiat))
    : []
  const suggestion = typed.kind === 'wrong' ? typed.suggestion : null
  return (
    <div className="grid gap-1.5 text-sm">
      <label htmlFor={field} className="font-medium">
        {ticket.inUnit(label, units.find(([unit]) => unit === value.unit)?.[1] ?? '')}
      </label>
      <div className="flex gap-2">
        <input
          id={field}
          value={value.text}
          onChange={(event) => type(event.target.value)}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          inputMode={value.unit === 'sats' ? 'numeric' : 'decimal'}
          autoComplete="off"
          placeholder={amountTyped(1_000_000, value.unit, fiat)}
          aria-invalid={problem !== null}
          aria-describedby={about}
          className={`${INPUT} min-w-0`}
        />
        <span className="shrink-0">
          <Select
            label={ticket.unitOf(label)}
            inline
            options={units}
            value={value.unit}
            onChange={(unit) => onChange(inUnit(value, unit, fiat))}
          />
        </span>
      </div>
      <div id={about} aria-live="polite" className="grid gap-1">
        {problem ? (
          <Problem text={problem} suggestion={suggestion} onUse={type} />
        ) : (
          <>
            {others.length > 0 && (
              <span className="tabular text-soft">
                {others.map((each) => `${each.text} ${each.unit}`).join(' · ')}
              </span>
            )}
            {typed.kind === 'sats' && typed.rounded && <span>{ticket.rounded(typed.sats)}</span>}
            {hint && <span className="text-soft">{hint}</span>}
          </>
        )}
        {value.wasSats !== undefined && sats !== null && (
          <UnitChanged wasSats={value.wasSats} sats={sats} onConfirm={() => onChange(confirmed(value))} />
        )}
      </div>
    </div>
  )
}

function Problem(of: { text: string; suggestion: string | null; onUse: (text: string) => void }) {
  const { text, suggestion, onUse } = of
  return (
    <span className="text-down">
      {text}{' '}
      {suggestion && (
        <button type="button" className="min-h-6 underline" onClick={() => onUse(suggestion)}>
          {ticket.use(suggestion)}
        </button>
      )}
    </span>
  )
}

/** Asks whether an amount is meant after its unit changed. The amount counts once it is confirmed. */
export function UnitChanged({
  wasSats,
  sats,
  onConfirm,
}: {
  wasSats: number
  sats: number
  onConfirm: () => void
}) {
  return (
    <Guard
      level="confirm"
      title={ticket.unitChanged(sats)}
      text={ticket.unitWas(wasSats)}
      action={
        <button type="button" className="min-h-6 underline" onClick={onConfirm}>
          {ticket.useAmount(sats)}
        </button>
      }
    />
  )
}

/** Returns the error of an amount, or null. Empty fields are valid until they are left. */
function problemIn(
  typed: Typed,
  unit: Unit,
  leastSats: number,
  { isSent, isLeft }: { isSent: boolean; isLeft: boolean },
): string | null {
  if (typed.kind === 'wrong') return problemText(typed.problem, typed.suggestion, unit)
  if (typed.kind === 'empty') return isLeft ? problemText('unreadable', null, unit) : null
  return typed.sats < leastSats && isSent ? ticket.atLeast(leastSats) : null
}
