import { type FormEvent, useState } from 'react'
import { useAct } from '../act.tsx'
import { btc, parseAmount } from '../format.ts'
import { useSettings } from '../settings.tsx'
import { Button, Field, INPUT, Price, Select } from '../ui/basics.tsx'

const DAYS = [
  [7, '1 week'],
  [30, '30 days'],
  [90, '90 days'],
  [180, '180 days'],
] as const

/** Prices for inscriptions of one collection, and listing them at once. */
export function ListForm({
  slug,
  items,
  royaltyBps,
  onDone,
}: {
  slug: string
  items: readonly { inscriptionId: string; name: string; floorSats: number | null }[]
  royaltyBps: number
  onDone: () => void
}) {
  const { run, busy } = useAct()
  const { market } = useSettings()
  const [prices, setPrices] = useState<Record<string, string>>({})
  const [days, setDays] = useState<(typeof DAYS)[number][0]>(30)
  const [isSent, setSent] = useState(false)
  const leastSats = market?.listingMinSats ?? 1000
  const feeBps = (market?.fees.sellerFeeBps ?? 0) + royaltyBps
  const satsOf = (id: string) => parseAmount(prices[id] ?? '', 'btc')
  const isWrong = (id: string) => (satsOf(id) ?? 0) < leastSats
  const setAll = (text: string) =>
    setPrices(Object.fromEntries(items.map((each) => [each.inscriptionId, text])))
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (items.some((each) => isWrong(each.inscriptionId))) return
    onDone()
    void run(
      items.length === 1 ? `Listing ${items[0]!.name}` : `Listing ${items.length} inscriptions`,
      async (trades, trading) => {
        const wishes = items.map(({ inscriptionId }) => ({
          inscriptionId,
          priceSats: satsOf(inscriptionId)!,
        }))
        await trades.listItems(trading, slug, wishes, days, royaltyBps)
        return items.length === 1
          ? `${items[0]!.name} is for sale.`
          : `${items.length} inscriptions are for sale.`
      },
    )
  }
  const floorSats = items[0]?.floorSats ?? null
  return (
    <form onSubmit={send} className="grid gap-4" noValidate>
      {items.length > 1 && (
        <Field label="One price for all, in BTC">
          <input inputMode="decimal" onChange={(event) => setAll(event.target.value)} className={INPUT} />
        </Field>
      )}
      {floorSats !== null && (
        <Button onClick={() => setAll(btc(floorSats))}>
          At the floor: <Price sats={floorSats} />
        </Button>
      )}
      {items.map(({ inscriptionId, name }) => {
        const sats = satsOf(inscriptionId)
        return (
          <Field
            key={inscriptionId}
            label={items.length === 1 ? 'Price in BTC' : name}
            hint={
              isSent && isWrong(inscriptionId) ? (
                <span className="text-bad">An amount in BTC, at least {leastSats} sats.</span>
              ) : sats ? (
                <>
                  You are paid <Price sats={sats - Math.floor((sats * feeBps) / 10_000)} />, and the postage
                  back
                </>
              ) : undefined
            }
          >
            <input
              inputMode="decimal"
              value={prices[inscriptionId] ?? ''}
              placeholder="0.01"
              aria-invalid={isSent && isWrong(inscriptionId)}
              onChange={(event) =>
                setPrices((before) => ({ ...before, [inscriptionId]: event.target.value }))
              }
              className={INPUT}
            />
          </Field>
        )
      })}
      <Field label="For sale for">
        <Select options={DAYS} value={days} onChange={setDays} />
      </Field>
      <p className="text-sm text-soft">Fees: {feeBps / 100} % of the price when it sells, nothing before.</p>
      <Button kind="main" type="submit" disabled={busy !== null}>
        List {items.length === 1 ? 'it' : `all ${items.length}`}
      </Button>
    </form>
  )
}
