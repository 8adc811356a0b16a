import { bpsOf } from '@ordbook/bitcoin/sats.ts'
import { type FormEvent, useState } from 'react'
import { useAct } from '../act.tsx'
import { btcInput, money, parseAmount } from '../format.ts'
import { useSettings } from '../settings.tsx'
import type * as Trades from '../signing/trades.ts'
import type { Days } from '../signing/trading.ts'
import { Button, Field, INPUT, Price, Select } from '../ui/basics.tsx'

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
}

type Wishes<T> = (T & { priceSats: number })[]

/** Prices for inscriptions, and listing them at once with `list`. */
export function ListForm<T extends ToList>({
  items,
  list,
  onDone,
}: {
  items: readonly T[]
  list: (trades: typeof Trades, trading: Trades.Trading, wishes: Wishes<T>, days: Days) => Promise<void>
  onDone: () => void
}) {
  const { run, busy } = useAct()
  const { market } = useSettings()
  const [prices, setPrices] = useState<Record<string, string>>({})
  const [days, setDays] = useState<(typeof DAYS)[number][0]>(30)
  const [isSent, setSent] = useState(false)
  const leastSats = market?.listingMinSats ?? 1000
  const satsOf = (id: string) => parseAmount(prices[id] ?? '', 'btc')
  const feeBpsOf = (item: ToList) => (market?.fees.sellerFeeBps ?? 0) + item.royaltyBps
  const isWrong = (id: string) => (satsOf(id) ?? 0) < leastSats
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (items.some((each) => isWrong(each.inscriptionId))) return
    onDone()
    const several = `${items.length} inscriptions`
    void run(`Listing ${items.length === 1 ? items[0]!.name : several}`, async (trades, trading) => {
      const wishes = items.map((item) => ({ ...item, priceSats: satsOf(item.inscriptionId)! }))
      await list(trades, trading, wishes, days)
      const [only] = wishes
      if (!only || wishes.length > 1) return `Listed ${several}.`
      const netSats = only.priceSats - bpsOf(only.priceSats, feeBpsOf(only))
      return `Listed for ${money(only.priceSats)}. You receive ${money(netSats)} when it sells.`
    })
  }
  return (
    <form onSubmit={send} className="grid gap-4" noValidate>
      <AllAtOnce items={items} onPrices={setPrices} />
      {items.map((item) => {
        const { inscriptionId } = item
        return (
          <PriceField
            key={inscriptionId}
            label={items.length === 1 ? 'Price in BTC' : item.name}
            text={prices[inscriptionId] ?? ''}
            isWrong={isSent && isWrong(inscriptionId)}
            leastSats={leastSats}
            feeBps={feeBpsOf(item)}
            onText={(text) => setPrices((before) => ({ ...before, [inscriptionId]: text }))}
          />
        )
      })}
      <Field label="For sale for">
        <Select options={DAYS} value={days} onChange={setDays} />
      </Field>
      <Fees items={items} sellerFeeBps={market?.fees.sellerFeeBps ?? 0} />
      <Button kind="main" type="submit" disabled={busy !== null}>
        List {items.length === 1 ? 'it' : `all ${items.length}`}
      </Button>
    </form>
  )
}

/** One price for all items, or for each the floor of its collection. */
function AllAtOnce({
  items,
  onPrices,
}: {
  items: readonly ToList[]
  onPrices: (prices: Record<string, string>) => void
}) {
  const set = (priceOf: (item: ToList) => string) =>
    onPrices(Object.fromEntries(items.map((each) => [each.inscriptionId, priceOf(each)])))
  const floors = new Set(items.map((each) => each.floorSats))
  const [floorSats = null] = floors
  return (
    <>
      {items.length > 1 && (
        <Field label="One price for all, in BTC">
          <input inputMode="decimal" onChange={(event) => set(() => event.target.value)} className={INPUT} />
        </Field>
      )}
      {!floors.has(null) && (
        <Button onClick={() => set((item) => btcInput(item.floorSats!))}>
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

function PriceField({
  label,
  text,
  isWrong,
  leastSats,
  feeBps,
  onText,
}: {
  label: string
  text: string
  isWrong: boolean
  leastSats: number
  feeBps: number
  onText: (text: string) => void
}) {
  const sats = parseAmount(text, 'btc')
  return (
    <Field
      label={label}
      hint={
        isWrong ? (
          <span className="text-bad">An amount in BTC, at least {leastSats} sats.</span>
        ) : sats ? (
          <>
            You receive <Price sats={sats - bpsOf(sats, feeBps)} /> (+ postage back)
          </>
        ) : undefined
      }
    >
      <input
        inputMode="decimal"
        value={text}
        placeholder="0.01"
        aria-invalid={isWrong}
        onChange={(event) => onText(event.target.value)}
        className={INPUT}
      />
    </Field>
  )
}

function Fees({ items, sellerFeeBps }: { items: readonly ToList[]; sellerFeeBps: number }) {
  const shares = [...new Set(items.map((each) => (sellerFeeBps + each.royaltyBps) / 100))].toSorted(
    (a, b) => a - b,
  )
  const [least, most] = [shares[0]!, shares.at(-1)!]
  return (
    <p className="text-sm text-soft">
      Fees: {least === most ? least : `${least} to ${most}`} % of the price when it sells, nothing before.
    </p>
  )
}
