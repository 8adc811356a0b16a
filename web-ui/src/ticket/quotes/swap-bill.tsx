import type { Answer } from '@ordbook/sdk/operations.ts'
import { swap as words } from '../../strings/swap.ts'
import { ticket } from '../../strings/trade.ts'
import type { ShownQuote } from './purchase-quote.ts'
import { QuoteBill } from './quote-bill.tsx'
import { quoteOfSide } from './quote-of-side.ts'

type Quoted = ShownQuote & Partial<Pick<Answer<'quoteAcceptance'>, 'exact' | 'missingSats' | 'availableSats'>>

/** Bill of one side of a proposal. */
export function SwapBill({ of: { data, error } }: { of: { data: Quoted | undefined; error: unknown } }) {
  if (data?.bill.length === 0) return <p className="text-small text-soft">{words.noBitcoin}</p>
  const pays = data !== undefined && data.totalSats < 0
  return (
    <QuoteBill
      of={{ data: data && quoteOfSide(data), error }}
      total={pays ? ticket.youPay : ticket.youReceive}
      isSwap
    />
  )
}
