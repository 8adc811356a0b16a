import type { Answer } from '@ordbook/sdk/operations.ts'
import { errorText } from '../error-text.ts'
import { money } from '../format.ts'
import { useSettings } from '../settings.tsx'
import { Bill } from '../ui/bill.tsx'
import { billLabel, ticket } from '../words/trade.ts'

/** The parts of every quote that its bill is made of. */
type Quoted = Pick<Answer<'quotePurchase'>, 'bill' | 'totalSats'> &
  Partial<Pick<Answer<'quotePurchase'>, 'exact' | 'missingSats' | 'availableSats'>>

/** The bill of a trade as the market quotes it, with its total as `total` names it. The page adds nothing. */
export function QuoteBill({
  of: { data, error },
  total,
}: {
  of: { data: Quoted | undefined; error: unknown }
  total: string
}) {
  const { unit } = useSettings()
  if (error) return <p className="text-small text-soft">{errorText(error)}</p>
  if (!data) return null
  const { bill, totalSats, exact = true, missingSats = null, availableSats = null } = data
  const rows = bill.map((row) => ({
    label: billLabel(row),
    sats: row.sats,
    ...(row.kind === 'postage' ? { note: ticket.postageStays } : {}),
  }))
  return (
    <section aria-label={ticket.bill} className="grid gap-2">
      <Bill
        rows={[...rows, { label: total, sats: totalSats, strong: true }]}
        unit={unit === 'sats' ? 'sats' : 'btc'}
      />
      {!exact && <p className="text-caption text-soft">{ticket.about}</p>}
      {missingSats !== null && missingSats > 0 && (
        <p className="text-small text-bad">
          {ticket.tooLittle(money(missingSats), money(availableSats ?? 0))}
        </p>
      )}
    </section>
  )
}
