import { useSettings } from '../api/settings.tsx'
import { amount } from '../format/format.ts'

/** An amount in the second currency, next to a price. Nothing without a rate, and if prices are in that currency. */
export function InFiat({ sats, className = '' }: { sats: number; className?: string }) {
  const { unit, fiat } = useSettings()
  if (!fiat || unit === 'fiat') return null
  const { text, unit: currency } = amount(sats, 'fiat', fiat)
  return (
    <span className={`tabular whitespace-nowrap text-soft ${className}`}>
      {text} {currency}
    </span>
  )
}
