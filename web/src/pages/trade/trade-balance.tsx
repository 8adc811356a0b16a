import type { Answer } from '@ordbook/sdk/operations.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { SwapBill } from '@ordbook/web-ui/ticket/quotes/swap-bill.tsx'
import { Change, Price } from '@ordbook/web-ui/ui/basics.tsx'

type Quote = Answer<'quoteProposal'>

export function TradeBill({ of }: { of: { data: Quote | undefined; error: unknown } }) {
  const { data } = of
  return (
    <div className="grid content-start gap-2">
      {!data && !of.error && <p className="text-small text-soft">{words.billLater}</p>}
      <SwapBill of={of} />
      {data && (
        <p className="text-caption text-soft">
          {words.acceptorPays(data.marketplaceFeeSats, data.estimatedNetworkFeeSats)}
        </p>
      )}
    </div>
  )
}

/** Difference, in percent, that fills half of the bar. */
const WHOLE_PERCENT = 50

/** Compares both sides at floor prices. The bar points right if the proposer gets more. */
export function TradeBalance({ quote }: { quote: Quote | undefined }) {
  if (!quote) return <p className="text-small text-soft">{words.balanceLater}</p>
  const { estimatedOfferedValueSats: givesSats, estimatedRequestedValueSats: getsSats } = quote
  const isKnown = givesSats > 0 && getsSats > 0
  const percent = isKnown ? (getsSats / givesSats - 1) * 100 : 0
  const half = Math.min(50, (Math.abs(percent) / WHOLE_PERCENT) * 50)
  return (
    <div className="grid min-w-0 content-start gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-small">
        <span className="text-soft">
          {words.youGive} <Price sats={givesSats} className="text-ink" />
        </span>
        {isKnown && (
          <span>
            <Change value={percent} /> <span className="text-soft">{words.forYou}</span>
          </span>
        )}
        <span className="text-soft">
          {words.youGet} <Price sats={getsSats} className="text-ink" />
        </span>
      </div>
      <div className="relative h-2 rounded-full bg-raised" aria-hidden="true">
        <div
          className={`absolute h-full rounded-full ${percent >= 0 ? 'bg-up' : 'bg-down'}`}
          style={{ width: `${half}%`, ...(percent >= 0 ? { left: '50%' } : { right: '50%' }) }}
        />
        <div className="absolute -top-1 left-1/2 h-4 w-0.5 -translate-x-1/2 bg-ink" />
      </div>
    </div>
  )
}
