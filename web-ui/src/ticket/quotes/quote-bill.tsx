import type { Answer } from '@ordbook/sdk/operations.ts'
import { errorText } from '../../api/error-text.ts'
import { useSettings } from '../../api/settings.tsx'
import { amount, money } from '../../format/format.ts'
import { billLabel, ticket } from '../../strings/trade.ts'
import { Bill } from '../../ui/bill.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

type Quoted = Pick<Answer<'quotePurchase'>, 'bill' | 'totalSats'> &
  Partial<
    Pick<Answer<'quotePurchase'>, 'exact' | 'missingSats' | 'availableSats' | 'targetFeeRateSatVb'> & {
      /** For sellers: sats in addition to the total. */
      inscriptionUtxoValueSats: number
    }
  >

/** Bill of a quote. `total`: label of its total. */
export function QuoteBill({
  of: { data, error, isPending = false },
  total,
  note,
  keepsPlace = false,
  isSwap = false,
}: {
  of: { data: Quoted | undefined; error: unknown; isPending?: boolean }
  total: string
  note?: string
  /** Shows a skeleton until the bill arrives. */
  keepsPlace?: boolean
  /** In a swap, the market's fee is for the trade. */
  isSwap?: boolean
}) {
  const { unit, fiat } = useSettings()
  if (error) return <p className="text-small text-soft">{errorText(error)}</p>
  if (!data) return keepsPlace ? <Skeleton rows={4} /> : null
  const { bill, totalSats, exact = true, missingSats = null, availableSats = null } = data
  const { targetFeeRateSatVb, inscriptionUtxoValueSats: postageSats = 0 } = data
  const rows = bill.map((row) => ({
    label: billLabel(row, targetFeeRateSatVb, isSwap),
    sats: row.sats,
    ...(row.kind === 'postage' ? { note: ticket.postageStays } : {}),
    ...(row.kind === 'sellerTransfers' ? { note: ticket.transferAdvanced } : {}),
    ...(row.kind === 'cpfpFee' ? { note: ticket.transferFaster } : {}),
    ...(row.kind === 'networkFee' && targetFeeRateSatVb ? { note: ticket.rateOfMarket } : {}),
  }))
  const inFiat = fiat && amount(totalSats, 'fiat', fiat)
  const below = [
    ...(inFiat ? [`${inFiat.text} ${inFiat.unit}`] : []),
    ...(postageSats > 0 ? [ticket.postageBack(postageSats)] : []),
  ].join(', ')
  return (
    // A group, not a landmark: a sheet with a bill can overlay a page with another bill.
    // biome-ignore lint/a11y/useSemanticElements: it is not a set of fields
    <div
      role="group"
      aria-label={ticket.bill}
      aria-busy={isPending}
      className={`grid gap-2 rounded-control ${isPending ? 'bg-raised' : ''}`}
    >
      <Bill
        rows={[...rows, { label: total, sats: totalSats, strong: true }]}
        unit={unit === 'sats' ? 'sats' : 'btc'}
      />
      {below && <p className="text-right text-caption text-soft">{below}</p>}
      {!exact && <p className="text-caption text-soft">{ticket.about}</p>}
      {missingSats !== null && missingSats > 0 && (
        <p className="text-small text-down">
          {ticket.tooLittle(money(missingSats), money(availableSats ?? 0))}
        </p>
      )}
      {note && <p className="text-caption text-soft">{note}</p>}
    </div>
  )
}
