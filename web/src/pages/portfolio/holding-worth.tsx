import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useState } from 'react'
import { type Measure, profitOf, valueBy, type Worth } from '../holdings/item-worth.ts'

const CostSheet = onDemand(() => import('./cost-sheet.tsx').then((part) => part.CostSheet))

const BUTTON = 'min-h-6 max-w-full truncate text-left underline decoration-dotted'

/** Value and profit of an item. The owner can enter a missing cost. */
export function HoldingWorth({
  name,
  worth,
  measure,
  typedSats,
  onType,
}: {
  name: string
  worth: Worth
  measure: Measure
  typedSats: number | undefined
  onType: (sats: number | null) => void
}) {
  const [isTyping, setTyping] = useState(false)
  const { unit, fiat } = useSettings()
  const { costSats } = worth
  const profit = profitOf(worth, measure)
  const value = valueBy(worth, measure)
  const text =
    costSats === null
      ? words.costUnknown
      : profit === null || costSats === 0
        ? words.costOf(Object.values(amount(costSats, unit, fiat)).join(' '))
        : words.onCost(difference(value!, costSats))
  const tone = !profit ? 'text-soft' : profit > 0 ? 'text-up' : 'text-down'
  return (
    <>
      <span className="flex gap-1 text-caption text-soft">
        <span className="truncate">{words.measures[measure]} </span>
        <Price sats={value} className="shrink-0" />
      </span>
      <span className={`tabular truncate text-caption ${tone}`}>
        {costSats === null || typedSats !== undefined ? (
          <button type="button" className={BUTTON} onClick={() => setTyping(true)}>
            {text}
            <span className="sr-only">: {words.typeCost(name)}</span>
          </button>
        ) : (
          <span className="flex min-h-6 items-center">{text}</span>
        )}
      </span>
      {isTyping && (
        <CostSheet
          name={name}
          typedSats={typedSats}
          onClose={() => setTyping(false)}
          onType={(sats) => {
            onType(sats)
            setTyping(false)
          }}
        />
      )}
    </>
  )
}
