import type { Answer } from '@ordbook/sdk/operations.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount, fullTime } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { useMemo } from 'react'
import { Chart } from './chart.tsx'
import { floorAndSales } from './chart-data.ts'
import { ChartTable } from './chart-table.tsx'

const LINES = [
  { colour: '--accent', kind: 'steps' },
  { colour: '--up', kind: 'dots' },
] as const
/** Lines of an item chart. Other sales are muted. */
const ITEM_LINES = [
  { colour: '--accent', kind: 'steps' },
  { colour: '--edge', kind: 'dots' },
  { colour: '--up', kind: 'dots' },
] as const

export function Windows({
  of,
  days,
  onChange,
}: {
  of: readonly number[]
  days: number
  onChange: (days: number) => void
}) {
  return (
    <fieldset className="flex gap-1 overflow-x-auto p-0.5">
      <legend className="sr-only">{words.window}</legend>
      {of.map((each) => (
        <Button
          key={each}
          kind={days === each ? 'plain' : 'ghost'}
          aria-pressed={days === each}
          onClick={() => onChange(each)}
        >
          {words.windows[each]}
        </Button>
      ))}
    </fieldset>
  )
}

/** Floor and sales of a collection. `own`: the item whose sales are highlighted. */
export function PriceChart({
  label,
  history: { floor, sales, until },
  own,
}: {
  label: string
  history: Answer<'getCollectionHistory'>
  own?: string
}) {
  const { unit, fiat } = useSettings()
  const say = (sats: number) => Object.values(amount(Math.round(sats), unit, fiat)).join(' ')
  const short = (sats: number) => amount(Math.round(sats), unit, fiat).text
  const [times, floors, sold, ownSold] = useMemo(
    () => floorAndSales(floor, sales, { until: new Date(until), own }),
    [floor, sales, until, own],
  )
  const data = useMemo(
    () => (own ? ([times, floors, sold, ownSold] as const) : ([times, floors, sold] as const)),
    [own, times, floors, sold, ownSold],
  )
  const read = (place: number) => {
    const [floorSats, price, ownPrice] = [floors[place] ?? null, sold[place] ?? null, ownSold[place] ?? null]
    return words.at(fullTime(new Date(times[place]! * 1000).toISOString()), [
      floorSats === null ? words.noFloor : words.floorAt(say(floorSats)),
      ...(price === null ? [] : [own ? words.otherSaleAt(say(price)) : words.saleAt(say(price))]),
      ...(ownPrice === null ? [] : [words.saleAt(say(ownPrice))]),
    ])
  }
  const rows = sales
    .filter(({ inscriptionId }) => !own || inscriptionId === own)
    .map(({ at, priceSats }) => ({ at, sats: priceSats }))
  return (
    <>
      <Chart label={label} data={data} lines={own ? ITEM_LINES : LINES} say={short} read={read} />
      <ChartTable rows={rows} head={words.price} />
    </>
  )
}
