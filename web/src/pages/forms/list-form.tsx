import type { DurationDays } from '@ordbook/contract/durations.ts'
import { queries } from '@ordbook/web-ui/api/client.ts'
import { type Market, useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { money } from '@ordbook/web-ui/format/format.ts'
import { filledAmount, satsIn } from '@ordbook/web-ui/money/amount-text.ts'
import type { WayOut } from '@ordbook/web-ui/rules/guards.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import type { ToBeListed } from '@ordbook/web-ui/signing/listings.ts'
import type * as Trades from '@ordbook/web-ui/signing/trades.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { useFirstUnit } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { listFieldsIn, useFields } from '@ordbook/web-ui/ticket/fields/fields.ts'
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
import { ListPrice } from './list-price.tsx'
import { DAYS, daysIn, NO_PRICES, type Priced, pricedOf, type ToList } from './priced.ts'

interface Item extends ToList {
  royaltyBps: number
}

interface Props {
  subject: string
  item: Item
  list: (
    trades: typeof Trades,
    trading: Trades.Trading,
    input: ToBeListed,
    days: DurationDays,
    quotes: readonly ShownQuote[],
  ) => Promise<void>
  ways?: Partial<Record<WayOut, () => void>>
}

function useListing(subject: string, item: Item) {
  const { market, fiat } = useSettings()
  const unit = useFirstUnit()
  const [fields, setFields] = useFields(subject, listFieldsIn, NO_PRICES)
  const { inscriptionId, slug, listedSats } = item
  const leastSats = market?.listingMinSats ?? 1000
  const empty = { text: '', unit }
  // The current price, until another is typed.
  const first = listedSats === null ? empty : filledAmount(listedSats, unit, fiat)
  const price = fields.prices[inscriptionId] ?? first
  const quotes = useListingQuotes([{ inscriptionId, slug, priceSats: satsIn(price, fiat) }], leastSats)
  const again = fields.again[inscriptionId] ?? empty
  const priced = pricedOf(item, price, again, quotes.factsOf(inscriptionId), fiat)
  const bill = quotes.bills.find((each) => each.isBill)?.quote
  const key = String(priced.sats)
  const moved = useMoved(key, quotes.isPending ? undefined : bill?.data?.totalSats, 'seller')
  return { fields, setFields, leastSats, priced, bill, isQuoting: quotes.isPending, moved, key, market }
}

/** Form to list an item or to change its price. */
export function ListForm({ subject, item, list, ways = {} }: Props) {
  const { inscriptionId, name, listedSats } = item
  const { run, busy } = useAct(subject)
  const { fields, setFields, leastSats, priced, bill, isQuoting, moved, key, market } = useListing(
    subject,
    item,
  )
  const { sats, facts, isRepeated } = priced
  const [days, period] = daysIn(fields.days)
  const [sentText, setSentText] = useState<string | null>(null)
  // The quote marks items that the market would reject.
  const isRefused = facts?.item.refused != null
  const guarded = useGuarded(
    listedSats === null ? ticket.list(sats) : ticket.changePrice(sats),
    isRefused ? moved.guards : [...moved.guards, ...priced.guards],
    key,
  )
  const isPriced = sats !== null && sats >= leastSats
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSentText(priced.price.text)
    if (!isPriced || isQuoting || isRefused || !isRepeated) return
    guarded.press(async () => {
      const done = await run(`Listing ${name}`, async (trades, trading) => {
        const quotes = bill?.data ? [bill.data] : []
        await list(trades, trading, inputOf(priced, market), days, quotes)
        return listedText(priced)
      })
      // The fees or floors may have changed.
      if (!done) void queries.invalidateQueries({ queryKey: ['quoteListing'] })
    })
  }
  return (
    <form onSubmit={send} className="grid gap-4" noValidate>
      <ListPrice
        of={priced}
        leastSats={leastSats}
        isSent={sentText === priced.price.text}
        ways={ways}
        onPrice={(price) => {
          setSentText(null)
          setFields({ ...fields, prices: { [inscriptionId]: price } })
        }}
        onAgain={(price) => setFields({ ...fields, again: { [inscriptionId]: price } })}
      />
      <Options now={ticket.until(period)}>
        <Field label={ticket.expiresIn}>
          <Select<DurationDays>
            options={DAYS}
            value={days}
            onChange={(next) => setFields({ ...fields, days: next })}
          />
        </Field>
      </Options>
      {bill && <QuoteBill of={bill} total={ticket.youReceive} />}
      <GuardList guards={moved.guards} ways={{ 'new-total': moved.accept }} />
      <Button
        kind="main"
        large
        type="submit"
        disabled={busy !== null || guarded.isStopped || isRefused}
        aria-disabled={(isPriced && isQuoting) || undefined}
      >
        {guarded.label}
      </Button>
      <Failure subject={subject} />
      <p className="text-center text-caption text-soft">{ticket.staysYours}</p>
    </form>
  )
}

/** Adds price and fees to the item. Without a quote, fees are computed from the settings. */
function inputOf({ item, sats, facts }: Priced<Item>, market: Market | null): ToBeListed {
  return {
    inscriptionId: item.inscriptionId,
    priceSats: sats!,
    floorSats: facts?.data.collection.floorSats ?? item.floorSats,
    feeBps: facts
      ? facts.item.sellerMarketplaceFeeBps + facts.item.sellerCreatorRoyaltyBps
      : (market?.fees.sellerFeeBps ?? 0) + item.royaltyBps,
  }
}

function listedText({ sats, facts }: Priced<Item>): string {
  const receive = facts ? ` You receive ${money(facts.item.sellerReceiveSats)} when it sells.` : ''
  return `Listed for ${money(sats!)}.${receive}`
}
