import { Price } from '@ordbook/web-ui/ui/basics.tsx'

/** A number with its name. A profit has its sign: colour is never the only mark. */
export function Figure({
  label,
  sats,
  note = '',
  isProfit = false,
}: {
  label: string
  sats: number | null
  note?: string
  isProfit?: boolean
}) {
  const tone = !isProfit || !sats ? '' : sats > 0 ? 'text-up' : 'text-down'
  return (
    <div className="min-w-0">
      <dt className="text-caption text-soft">{label}</dt>
      <dd>
        <span className={tone}>
          {isProfit && sats !== null && sats > 0 && '+'}
          <Price sats={sats} className="text-price" />
        </span>
        {/* The line is there without words, too, so that nothing moves when they come. */}
        <span className="tabular block min-h-4 text-caption text-soft">{note}</span>
      </dd>
    </div>
  )
}
