import type { Answer } from '@ordbook/sdk/operations.ts'
import { swap as words } from '../../strings/swap.ts'
import { ticket } from '../../strings/trade.ts'
import { QuoteBill } from './quote-bill.tsx'

type Quoted = Pick<
  Answer<'quoteAcceptance'>,
  'bill' | 'totalSats' | 'exact' | 'missingSats' | 'availableSats'
>

/** Bill of one side of a proposal. For the side that pays, costs are positive. */
export function SwapBill({ of: { data, error } }: { of: { data: Quoted | undefined; error: unknown } }) {
  if (data?.bill.length === 0) return <p className="text-small text-soft">{words.noBitcoin}</p>
  const pays = data !== undefined && data.totalSats < 0
  const shown = data && {
    ...data,
    bill: data.bill.map((row) => ({ ...row, sats: pays ? -row.sats : row.sats })),
    totalSats: Math.abs(data.totalSats),
  }
  return <QuoteBill of={{ data: shown, error }} total={pays ? ticket.youPay : ticket.youReceive} />
}
