import { ticket } from '../../strings/trade.ts'
import { Price } from '../../ui/basics.tsx'
import type { Reference } from '../comparison.tsx'

/** Buttons that fill in a price. */
export function QuickChoices({
  of,
  onChoose,
}: {
  of: readonly Reference[]
  onChoose: (sats: number) => void
}) {
  const known = of.flatMap(({ label, sats }) => (sats === null ? [] : [{ label, sats }]))
  if (known.length === 0) return null
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">{ticket.choices}</legend>
      {known.map(({ label, sats }) => (
        <button
          key={label}
          type="button"
          onClick={() => onChoose(sats)}
          className="grid min-h-11 min-w-24 flex-1 place-items-center rounded-button border border-line px-2 py-1 hover:border-edge"
        >
          <span className="text-caption text-soft">{label}</span>
          <Price sats={sats} className="text-small font-[560]" />
        </button>
      ))}
    </fieldset>
  )
}
