import type { Answer } from '@ordbook/sdk/operations.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { tradeGuards } from '@ordbook/web-ui/rules/guards.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { SwapBill } from '@ordbook/web-ui/ticket/quotes/swap-bill.tsx'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Guard } from '@ordbook/web-ui/ui/guard.tsx'
import { BAR_PERCENT, type Balance, barPart, type Sides, unverifiedIn } from './board.ts'

type Quote = Answer<'quoteProposal'>

/** Above this gain, a trade is not called even. */
const FAVOURABLE_PERCENT = 10

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

/** Compares the estimated values of both sides. The bar points right if the viewer gets more. */
export function TradeBalance({ balance }: { balance: Balance | null }) {
  if (!balance) return <p className="text-small text-soft">{words.balanceLater}</p>
  const { givesSats, getsSats, percent } = balance
  const part = barPart(percent ?? 0)
  const isGain = (percent ?? 0) >= 0
  return (
    <div className="grid min-w-0 content-start gap-2">
      <div className="grid grid-cols-2 items-baseline gap-x-4 gap-y-1 text-small sm:grid-cols-[auto_1fr_auto]">
        <span className="text-soft">
          {words.youGive} <Price sats={givesSats || null} className="font-semibold text-ink" />
        </span>
        <span
          data-balance
          className={`text-center font-semibold max-sm:order-last max-sm:col-span-2 ${percent === null ? 'text-soft' : isGain ? 'text-up' : 'text-down'}`}
        >
          {percent === null
            ? words.notComparable
            : words.forYou(getsSats - givesSats, difference(getsSats, givesSats))}
        </span>
        <span className="text-right text-soft">
          {words.youGet} <Price sats={getsSats || null} className="font-semibold text-ink" />
        </span>
      </div>
      <div className="relative my-1 h-2 rounded-full bg-raised" aria-hidden="true">
        <div
          className={`absolute h-full ${isGain ? 'rounded-r-full bg-up' : 'rounded-l-full bg-down'}`}
          style={{ width: `${part}%`, ...(isGain ? { left: '50%' } : { right: '50%' }) }}
        />
        <div className="absolute -top-1 left-1/2 h-4 w-0.5 -translate-x-1/2 bg-ink" />
      </div>
      <p aria-hidden="true" className="flex justify-between text-caption text-soft">
        <span>{words.atEnd(-BAR_PERCENT)}</span>
        <span>{words.even}</span>
        <span>{words.atEnd(BAR_PERCENT)}</span>
      </p>
    </div>
  )
}

/** Returns what to check before sending, accepting or completing a trade. */
export const guardsOf = (sides: Sides, balance: Balance | null) => tradeGuards(balance, unverifiedIn(sides))

/** Warnings about the loss of a trade and about unverified collections. */
export function TradeGuards({ sides, balance }: { sides: Sides; balance: Balance | null }) {
  const guards = guardsOf(sides, balance)
  const isUneven = guards.some(({ id }) => id === 'uneven')
  const { percent = null } = balance ?? {}
  return (
    <div className="grid gap-2 empty:hidden">
      {percent !== null && !isUneven && (
        <Guard
          level="good"
          title={percent > FAVOURABLE_PERCENT ? words.favourable : words.inLine}
          text={`${words.compared(difference(balance!.getsSats, balance!.givesSats))} ${unverifiedIn(sides).length === 0 && hasCollections(sides) ? words.allVerified : ''}`}
        />
      )}
      <GuardList guards={guards} />
      {balance && balance.unpriced > 0 && (
        <Guard level="note" title={words.unpriced(balance.unpriced)} text="" />
      )}
    </div>
  )
}

const hasCollections = ({ gives, gets }: Sides) =>
  [...gives.items, ...gets.items].every(({ collection }) => collection !== null)
