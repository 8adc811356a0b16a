import { type AmountText, filledAmount, satsIn } from '@ordbook/web-ui/money/amount-text.ts'
import type { Fiat } from '@ordbook/web-ui/money/units.ts'
import { useRef } from 'react'
import { shorthand } from './batch-prices.ts'
import type { BatchLine } from './use-batch.ts'

export interface PriceCellProps {
  line: BatchLine
  label: string
  fiat: Fiat | null
  /** Id of the element that describes a problem of the price. */
  about: string
  /** Sets the price; `isChosen` sets whether the item is chosen. */
  onPrice: (value: AmountText, isChosen: boolean) => void
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }

/** Price field of a row. Arrows and Enter go to other rows, Escape restores the price, a shorthand is replaced when the field is left. */
export function PriceCell({ line, label, fiat, about, onPrice }: PriceCellProps) {
  const { row, value, isChosen, isInvalid, change } = line
  const before = useRef({ value, isChosen })
  const keep = () => {
    const sats = shorthand(value.text, row, satsIn(before.current.value, fiat))
    if (sats !== null) onPrice(filledAmount(sats, value.unit, fiat), true)
  }
  const isWarned = change?.guards.some(({ level }) => level !== 'note') ?? false
  return (
    <input
      data-price
      value={value.text}
      disabled={row.isLocked}
      aria-label={label}
      aria-invalid={isInvalid}
      aria-describedby={isInvalid ? about : undefined}
      inputMode={value.unit === 'sats' ? 'numeric' : 'decimal'}
      autoComplete="off"
      onFocus={(event) => {
        before.current = { value, isChosen }
        event.currentTarget.select()
      }}
      onChange={(event) => onPrice({ text: event.currentTarget.value, unit: value.unit }, true)}
      onBlur={keep}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          // Escape would also close a dialog.
          event.preventDefault()
          event.stopPropagation()
          onPrice(before.current.value, before.current.isChosen)
        }
        const step = STEPS[event.key]
        if (step === undefined) return
        event.preventDefault()
        keep()
        focusPrice(event.currentTarget, step)
      }}
      className={`tabular min-h-11 w-[124px] rounded-button border bg-surface px-2.5 text-right text-[16px] text-ink disabled:opacity-60 md:min-h-9 md:text-body ${isInvalid ? 'border-down' : isWarned ? 'border-accent' : 'border-edge'}`}
    />
  )
}

/** Moves the focus to the next or previous price of the batch. */
function focusPrice(from: HTMLInputElement, step: number): void {
  const all = [...from.closest('table')!.querySelectorAll<HTMLInputElement>('[data-price]:enabled')]
  all[all.indexOf(from) + step]?.focus()
}
