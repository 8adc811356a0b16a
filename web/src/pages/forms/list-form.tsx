import type { DurationDays } from '@ordbook/contract/durations.ts'
import { queries } from '@ordbook/web-ui/api/client.ts'
import { type Market, useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { money } from '@ordbook/web-ui/format/format.ts'
import type { WayOut } from '@ordbook/web-ui/rules/guards.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import type { ToBeListed } from '@ordbook/web-ui/signing/listings.ts'
import type * as Trades from '@ordbook/web-ui/signing/trades.ts'
import { itemsNamed } from '@ordbook/web-ui/strings/items-named.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { satsIn, useFirstUnit } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { type ListFields, listFieldsIn, useFields } from '@ordbook/web-ui/ticket/fields/fields.ts'
import { Options } from '@ordbook/web-ui/ticket/fields/options.tsx'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import { useMoved } from '@ordbook/web-ui/ticket/moved.ts'
import { Failure } from '@ordbook/web-ui/ticket/progress/failure.tsx'
import { useListingQuotes } from '@ordbook/web-ui/ticket/quotes/listing-quotes.ts'
import type { ShownQuote } from '@ordbook/web-ui/ticket/quotes/purchase-quote.ts'
import { QuoteBill } from '@ordbook/web-ui/ticket/quotes/quote-bill.tsx'
import { Button, Field, Select } from '@ordbook/web-ui/ui/basics.tsx'
import { type FormEvent, useState } from 'react'
import { AllAtOnce, ItemPrice, type Priced, pricedOf, type ToList } from './list-prices.tsx'

export const NO_PRICES: ListFields = { all: null, prices: {}, again: {}, days: 30 }

const DAYS = [
  [7, '1 week'],
  [30, '30 days'],
  [90, '90 days'],
  [180, '180 days'],
] as const

/** Items with price and the total fee shown. */
type ListingInputs<T> = (T & ToBeListed)[]

interface Props<T> {
  subject: string
  items: readonly T[]
  list: (
    trades: typeof Trades,
    trading: Trades.Trading,
    inputs: ListingInputs<T>,
    days: DurationDays,
    quotes: readonly ShownQuote[],
  ) => Promise<void>
  onDone?: () => void
  ways?: Partial<Record<WayOut, () => void>>
}

function useListing<T extends ToList>(subject: string, items: readonly T[]) {
  const { market, fiat } = useSettings()
  const unit = useFirstUnit()
  const [fields, setFields] = useFields(subject, listFieldsIn, NO_PRICES)
  const { prices, again } = fields
  const leastSats = market?.listingMinSats ?? 1000
  const empty = { text: '', unit }
  const typed = items.map((item) => {
    const price = prices[item.inscriptionId] ?? empty
    return { item, price, sats: satsIn(price, fiat) }
  })
  const quotes = useListingQuotes(
    typed.map(({ item: { inscriptionId, slug }, sats }) => ({ inscriptionId, slug, priceSats: sats })),
    leastSats,
  )
  const priced = typed.map(({ item, price }) => {
    const { inscriptionId } = item
    return pricedOf(item, price, again[inscriptionId] ?? empty, quotes.factsOf(inscriptionId), fiat)
  })
  const bills = quotes.bills.filter((bill) => bill.isBill)
  const [only] = bills
  const key = JSON.stringify(priced.map((each) => each.sats))
  const moved = useMoved(
    key,
    bills.length === 1 && !quotes.isPending ? only?.quote.data?.totalSats : undefined,
    'seller',
  )
  return { fields, setFields, leastSats, priced, bills, isQuoting: quotes.isPending, moved, key, market }
}

export function ListForm<T extends ToList>({ subject, items, list, onDone, ways = {} }: Props<T>) {
  const { run, busy } = useAct(subject)
  const { fields, setFields, leastSats, priced, bills, isQuoting, moved, key, market } = useListing(
    subject,
    items,
  )
  const days = DAYS.find(([each]) => each === fields.days)?.[0] ?? 30
  const [isSent, setSent] = useState(false)
  // The quote marks items that the market would reject.
  const listable = priced.filter((each) => !each.facts?.item.refused)
  const guards = [...moved.guards, ...listable.flatMap((each) => each.guards)]
  const guarded = useGuarded(buttonOf(listable), guards, key)
  const isPriced = priced.every(({ sats }) => sats !== null && sats >= leastSats)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (!isPriced || isQuoting || listable.length === 0 || listable.some((each) => !each.isRepeated)) return
    guarded.press(async () => {
      const inputs = inputsFrom(listable, market)
      const done = await run(listingOf(inputs), async (trades, trading) => {
        await list(trades, trading, inputs, days, quotesOf(bills))
        return listedText(listable)
      })
      // The fees or floors may have changed.
      if (!done) return void queries.invalidateQueries({ queryKey: ['quoteListing'] })
      onDone?.()
    })
  }
  return (
    <form onSubmit={send} className="grid gap-4" noValidate>
      {items.length > 1 && (
        <AllAtOnce
          priced={priced}
          all={fields.all}
          leastSats={leastSats}
          onPrices={(prices, all) => setFields({ ...fields, prices, all })}
        />
      )}
      {priced.map((each) => (
        <ItemPrice
          key={each.item.inscriptionId}
          of={each}
          isOnly={items.length === 1}
          leastSats={leastSats}
          isSent={isSent}
          ways={ways}
          onPrice={(price) =>
            setFields({ ...fields, prices: { ...fields.prices, [each.item.inscriptionId]: price } })
          }
          onAgain={(price) =>
            setFields({ ...fields, again: { ...fields.again, [each.item.inscriptionId]: price } })
          }
        />
      ))}
      <Options now={ticket.until(DAYS.find(([each]) => each === days)![1])}>
        <Validity days={days} onChange={(next) => setFields({ ...fields, days: next })} />
      </Options>
      {bills.map(({ quote }, n) => (
        <QuoteBill
          // biome-ignore lint/suspicious/noArrayIndexKey: bills have no id
          key={n}
          of={quote}
          total={items.length === 1 ? ticket.youReceive : ticket.ifAllSell}
        />
      ))}
      <GuardList guards={moved.guards} ways={{ 'new-total': moved.accept }} />
      <Failure subject={subject} />
      <Button
        kind="main"
        large
        type="submit"
        disabled={busy !== null || guarded.isStopped || listable.length === 0}
        aria-disabled={(isPriced && isQuoting) || undefined}
      >
        {guarded.label}
      </Button>
      <p className="text-center text-caption text-soft">{ticket.staysYours}</p>
    </form>
  )
}

function Validity({ days, onChange }: { days: DurationDays; onChange: (days: DurationDays) => void }) {
  return (
    <Field label={ticket.expiresIn}>
      <Select<DurationDays> options={DAYS} value={days} onChange={onChange} />
    </Field>
  )
}

/** Adds price and fees to the items. Without a quote, fees are computed from the settings. */
function inputsFrom<T extends ToList>(priced: readonly Priced<T>[], market: Market | null): ListingInputs<T> {
  return priced.map(({ item, sats, facts }) => ({
    ...item,
    priceSats: sats!,
    floorSats: facts?.data.collection.floorSats ?? item.floorSats,
    feeBps: facts
      ? facts.item.sellerMarketplaceFeeBps + facts.item.sellerCreatorRoyaltyBps
      : (market?.fees.sellerFeeBps ?? 0) + item.royaltyBps,
  }))
}

const quotesOf = (bills: readonly { quote: { data: ShownQuote | undefined } }[]) =>
  bills.flatMap(({ quote }) => quote.data ?? [])

const listingOf = (items: readonly ToList[]) => `Listing ${itemsNamed(items)}`

function buttonOf(priced: readonly Priced<ToList>[]): string {
  const [only] = priced
  return priced.length === 1 ? ticket.list(only!.sats) : ticket.listAll(priced.length)
}

function listedText(listed: readonly Priced<ToList>[]): string {
  const [only] = listed
  if (!only || listed.length > 1) return `Listed ${listed.length} inscriptions.`
  const receive = only.facts ? ` You receive ${money(only.facts.item.sellerReceiveSats)} when it sells.` : ''
  return `Listed for ${money(only.sats!)}.${receive}`
}
