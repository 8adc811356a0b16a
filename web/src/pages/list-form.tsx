import { bpsOf } from '@ordbook/bitcoin/sats.ts'
import { type FormEvent, useState } from 'react'
import { useAct } from '../act.tsx'
import { money } from '../format.ts'
import { type Guard, listGuards, type WayOut } from '../guards.ts'
import { amountTyped } from '../money/typed.ts'
import type { Fiat } from '../money/units.ts'
import { type Market, useSettings } from '../settings.tsx'
import type * as Trades from '../signing/trades.ts'
import type { Days } from '../signing/trading.ts'
import { AmountField, type AmountText, satsIn, useFirstUnit } from '../ticket/amount-field.tsx'
import { Failure } from '../ticket/failure.tsx'
import { type ListFields, listFieldsIn, useFields } from '../ticket/fields.ts'
import { GuardList } from '../ticket/guard-list.tsx'
import { useGuarded } from '../ticket/guarded.ts'
import { Button, Field, Price, Select } from '../ui/basics.tsx'
import { ticket } from '../words/trade.ts'

/** The fields of a listing before anything is typed. */
export const NO_PRICES: ListFields = { all: null, prices: {}, again: {}, days: 30 }

const DAYS = [
  [7, '1 week'],
  [30, '30 days'],
  [90, '90 days'],
  [180, '180 days'],
] as const

export interface ToList {
  inscriptionId: string
  name: string
  floorSats: number | null
  royaltyBps: number
  /** Facts for the guards of its price, where the page has them. */
  traitFloorSats?: number | null
  lastSaleSats?: number | null
  bestBid?: { priceSats: number; netSats: number } | null
}

type Wishes<T> = (T & { priceSats: number })[]

/** An item with its price as typed, and what follows from it. */
interface Priced<T> {
  item: T
  price: AmountText
  again: AmountText
  sats: number | null
  guards: readonly Guard[]
  /** False where the price is far under the floor and was not typed a second time. */
  isRepeated: boolean
}

interface Props<T> {
  /** Of the ticket that keeps the fields. */
  subject: string
  items: readonly T[]
  list: (trades: typeof Trades, trading: Trades.Trading, wishes: Wishes<T>, days: Days) => Promise<void>
  /** Called once they are listed. */
  onDone?: () => void
  ways?: Partial<Record<WayOut, () => void>>
}

/** Prices for inscriptions, and listing them at once with `list`. */
export function ListForm<T extends ToList>({ subject, items, list, onDone, ways = {} }: Props<T>) {
  const { run, busy } = useAct(subject)
  const { market, fiat } = useSettings()
  const unit = useFirstUnit()
  const [fields, setFields] = useFields(subject, listFieldsIn, NO_PRICES)
  const { prices, again } = fields
  const days = DAYS.find(([each]) => each === fields.days)?.[0] ?? 30
  const [isSent, setSent] = useState(false)
  const leastSats = market?.listingMinSats ?? 1000
  const empty = { text: '', unit }
  const priced = items.map((item) =>
    pricedOf(item, prices[item.inscriptionId] ?? empty, again[item.inscriptionId] ?? empty, market, fiat),
  )
  const guarded = useGuarded(
    buttonOf(priced),
    priced.flatMap((each) => each.guards),
    JSON.stringify(priced.map((each) => each.sats)),
  )
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (priced.some(({ sats, isRepeated }) => sats === null || sats < leastSats || !isRepeated)) return
    guarded.press(async () => {
      const done = await run(listingOf(items), async (trades, trading) => {
        const wishes = priced.map(({ item, sats }) => ({ ...item, priceSats: sats! }))
        await list(trades, trading, wishes, days)
        return listedText(wishes, market)
      })
      if (done) onDone?.()
    })
  }
  return (
    <form onSubmit={send} className="grid gap-4" noValidate>
      <AllAtOnce
        items={items}
        fiat={fiat}
        all={fields.all}
        onPrices={(next, all) => setFields({ ...fields, prices: next, all })}
      />
      {priced.map((each) => (
        <ItemPrice
          key={each.item.inscriptionId}
          of={each}
          label={items.length === 1 ? ticket.price : each.item.name}
          leastSats={leastSats}
          receiveSats={each.sats && receiveOf(each.item, each.sats, market)}
          isSent={isSent}
          ways={ways}
          onPrice={(price) =>
            setFields({ ...fields, prices: { ...prices, [each.item.inscriptionId]: price } })
          }
          onAgain={(price) => setFields({ ...fields, again: { ...again, [each.item.inscriptionId]: price } })}
        />
      ))}
      <Field label={ticket.expiresIn}>
        <Select options={DAYS} value={days} onChange={(next) => setFields({ ...fields, days: next })} />
      </Field>
      <Fees items={items} sellerFeeBps={market?.fees.sellerFeeBps ?? 0} />
      <Failure subject={subject} />
      <Button kind="main" type="submit" disabled={busy !== null || guarded.isStopped}>
        {guarded.label}
      </Button>
    </form>
  )
}

function pricedOf<T extends ToList>(
  item: T,
  price: AmountText,
  again: AmountText,
  market: Market | null,
  fiat: Fiat | null,
): Priced<T> {
  const sats = satsIn(price, fiat)
  const { floorSats, traitFloorSats = null, lastSaleSats = null, bestBid = null } = item
  const guards = sats
    ? listGuards({
        priceSats: sats,
        receiveSats: receiveOf(item, sats, market),
        floorSats,
        traitFloorSats,
        lastSaleSats,
        bestBid,
      })
    : []
  const isRepeated = !guards.some((each) => each.retype) || satsIn(again, fiat) === sats
  return { item, price, again, sats, guards, isRepeated }
}

/** The price less the seller's fees. */
const receiveOf = (item: ToList, priceSats: number, market: Market | null) =>
  priceSats - bpsOf(priceSats, (market?.fees.sellerFeeBps ?? 0) + item.royaltyBps)

const listingOf = (items: readonly ToList[]) =>
  `Listing ${items.length === 1 ? items[0]!.name : `${items.length} inscriptions`}`

function buttonOf(priced: readonly Priced<ToList>[]): string {
  const [only] = priced
  return priced.length === 1 ? ticket.list(only!.sats) : ticket.listAll(priced.length)
}

function listedText(wishes: readonly (ToList & { priceSats: number })[], market: Market | null): string {
  const [only] = wishes
  if (!only || wishes.length > 1) return `Listed ${wishes.length} inscriptions.`
  return `Listed for ${money(only.priceSats)}. You receive ${money(receiveOf(only, only.priceSats, market))} when it sells.`
}

/** One price for all items, or for each the floor of its collection. */
function AllAtOnce({
  items,
  fiat,
  all,
  onPrices,
}: {
  items: readonly ToList[]
  fiat: Fiat | null
  all: AmountText | null
  onPrices: (prices: Record<string, AmountText>, all: AmountText | null) => void
}) {
  const unit = useFirstUnit()
  const set = (priceOf: (item: ToList) => AmountText, one: AmountText | null) =>
    onPrices(Object.fromEntries(items.map((each) => [each.inscriptionId, priceOf(each)])), one)
  const floors = new Set(items.map((each) => each.floorSats))
  const [floorSats = null] = floors
  return (
    <>
      {items.length > 1 && (
        <AmountField
          label={ticket.priceForAll}
          value={all ?? { text: '', unit }}
          isSent={false}
          onChange={(price) => set(() => price, price)}
        />
      )}
      {!floors.has(null) && (
        <Button
          onClick={() => set((item) => ({ text: amountTyped(item.floorSats!, unit, fiat), unit }), null)}
        >
          {floors.size > 1 ? (
            'Each at its floor'
          ) : (
            <>
              At the floor: <Price sats={floorSats} />
            </>
          )}
        </Button>
      )}
    </>
  )
}

/** The price of one item with its guards; far under the floor, a second field for the same price. */
function ItemPrice({
  of: { item, price, again, sats, guards, isRepeated },
  label,
  leastSats,
  receiveSats,
  isSent,
  ways,
  onPrice,
  onAgain,
}: {
  of: Priced<ToList>
  label: string
  leastSats: number
  receiveSats: number | null
  isSent: boolean
  ways: Partial<Record<WayOut, () => void>>
  onPrice: (price: AmountText) => void
  onAgain: (price: AmountText) => void
}) {
  const { fiat } = useSettings()
  const { floorSats } = item
  const matchFloor = () => onPrice({ ...price, text: amountTyped(floorSats!, price.unit, fiat) })
  return (
    <div className="grid gap-2">
      <AmountField
        label={label}
        value={price}
        onChange={onPrice}
        leastSats={leastSats}
        isSent={isSent}
        hint={
          receiveSats && (
            <>
              You receive <Price sats={receiveSats} /> (+ postage back)
            </>
          )
        }
      />
      <GuardList guards={guards} ways={{ ...ways, 'match-floor': matchFloor }} />
      {guards.some((each) => each.retype) && (
        <AmountField
          label={ticket.priceAgain}
          value={again}
          onChange={onAgain}
          isSent={isSent}
          hint={
            isSent && !isRepeated && sats !== null ? (
              <span className="text-bad">{ticket.otherPrice}</span>
            ) : null
          }
        />
      )}
    </div>
  )
}

function Fees({ items, sellerFeeBps }: { items: readonly ToList[]; sellerFeeBps: number }) {
  const shares = [...new Set(items.map((each) => (sellerFeeBps + each.royaltyBps) / 100))].toSorted(
    (a, b) => a - b,
  )
  const [least, most] = [shares[0]!, shares.at(-1)!]
  return (
    <p className="text-sm text-soft">
      Fees: {least === most ? least : `${least} to ${most}`}% of the price when it sells, nothing before.
    </p>
  )
}
