import { Price } from '@ordbook/web-ui/ui/basics.tsx'

/** Labelled amount. Profits have a sign, because colour alone is not accessible. */
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
        {/* Always rendered, to avoid a layout shift. */}
        <span className="tabular block min-h-4 text-caption text-soft">{note}</span>
      </dd>
    </div>
  )
}
