import { type ReactNode, useId } from 'react'
import { useSettings } from '../../api/settings.tsx'
import { amount } from '../../format/format.ts'
import { visitorLocale } from '../../money/marks.ts'
import { parseAmount, type Typed } from '../../money/parse.ts'
import { amountTyped } from '../../money/typed.ts'
import type { Fiat, Unit } from '../../money/units.ts'
import { problemText, ticket } from '../../strings/trade.ts'
import { INPUT, Select } from '../../ui/basics.tsx'

export interface AmountText {
  text: string
  unit: Unit
}

/** Parses an amount in the visitor's locale. */
export const typedOf = ({ text, unit }: AmountText, fiat: Fiat | null, stepSats = 1): Typed =>
  parseAmount(text, { unit, locale: visitorLocale, fiat, stepSats })

/** Returns sats, or null if the amount is invalid. */
export const satsIn = (value: AmountText, fiat: Fiat | null, stepSats = 1): number | null => {
  const typed = typedOf(value, fiat, stepSats)
  return typed.kind === 'sats' ? typed.sats : null
}

export function useFirstUnit(): Unit {
  const { unit, fiat } = useSettings()
  return unit === 'fiat' && !fiat ? 'btc' : unit
}

interface Props {
  label: string
  value: AmountText
  onChange: (value: AmountText) => void
  stepSats?: number
  leastSats?: number
  /** True after the first submit, which also reports missing amounts. */
  isSent: boolean
  hint?: ReactNode
}

/** Input of an amount, with other units shown below. */
export function AmountField({ label, value, onChange, stepSats = 1, leastSats = 1, isSent, hint }: Props) {
  const { fiat } = useSettings()
  const [field, about] = [useId(), useId()]
  const typed = typedOf(value, fiat, stepSats)
  const sats = typed.kind === 'sats' ? typed.sats : null
  const problem = problemIn(typed, value.unit, leastSats, isSent)
  const units: [Unit, string][] = [
    ['btc', 'BTC'],
    ['sats', 'sats'],
  ]
  if (fiat) units.push(['fiat', fiat.currency])
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
          onChange={(event) => onChange({ ...value, text: event.target.value })}
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
            onChange={(unit) =>
              onChange({ unit, text: sats === null ? value.text : amountTyped(sats, unit, fiat) })
            }
          />
        </span>
      </div>
      <div id={about} aria-live="polite" className="grid gap-1">
        {problem ? (
          <span className="text-down">
            {problem}{' '}
            {suggestion && (
              <button
                type="button"
                className="min-h-6 underline"
                onClick={() => onChange({ ...value, text: suggestion })}
              >
                {ticket.use(suggestion)}
              </button>
            )}
          </span>
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
      </div>
    </div>
  )
}

/** Returns the error of an amount, or null. Empty fields are valid before the first submit. */
function problemIn(typed: Typed, unit: Unit, leastSats: number, isSent: boolean): string | null {
  if (typed.kind === 'wrong') return problemText(typed.problem, typed.suggestion, unit)
  if (typed.kind === 'empty') return isSent ? problemText('unreadable', null, unit) : null
  return typed.sats < leastSats && isSent ? ticket.atLeast(leastSats) : null
}
