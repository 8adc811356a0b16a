import type { Answer } from '@ordbook/sdk/operations.ts'
import { SwapBill } from '../ticket/swap-bill.tsx'
import { Change, Price } from '../ui/basics.tsx'
import { swap as words } from '../words/swap.ts'

type Quote = Answer<'quoteProposal'>

/** Both sides of a proposal by floor, its bill, and what its acceptor pays. */
export function TradeBalance({ of }: { of: { data: Quote | undefined; error: unknown } }) {
  const { data } = of
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {data && <Values quote={data} />}
      <div className="grid content-start gap-2">
        <SwapBill of={of} />
        {data && (
          <p className="text-caption text-soft">
            {words.acceptorPays(data.marketplaceFeeSats, data.estimatedNetworkFeeSats)}
          </p>
        )}
      </div>
    </div>
  )
}

function Values({
  quote: { estimatedOfferedValueSats: givesSats, estimatedRequestedValueSats: getsSats },
}: {
  quote: Quote
}) {
  const isKnown = givesSats > 0 && getsSats > 0
  // The share of what is got, in percent of both sides.
  const share = isKnown ? (getsSats / (givesSats + getsSats)) * 100 : 50
  return (
    <div className="grid content-start gap-2">
      <p className="flex flex-wrap justify-between gap-x-4 text-small">
        <span className="text-soft">
          {words.youGive} <Price sats={givesSats} className="text-ink" />
        </span>
        <span className="text-soft">
          {words.youGet} <Price sats={getsSats} className="text-ink" />
        </span>
      </p>
      <div className="h-2 overflow-hidden rounded-full bg-raised" aria-hidden="true">
        <div className={`h-full ${share >= 50 ? 'bg-up' : 'bg-down'}`} style={{ width: `${share}%` }} />
      </div>
      {isKnown && (
        <p className="text-small">
          <Change value={(getsSats / givesSats - 1) * 100} />{' '}
          <span className="text-soft">{words.forYou}</span>
        </p>
      )}
    </div>
  )
}
