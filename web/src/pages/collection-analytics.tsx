import type { Answer } from '@ordbook/sdk/operations.ts'
import { useMemo, useState } from 'react'
import { useRead } from '../client.ts'
import { amount, fullTime } from '../format.ts'
import { useSettings } from '../settings.tsx'
import { Button, Loaded, Price } from '../ui/basics.tsx'
import { Chart } from '../ui/chart.tsx'
import { charts as words } from '../words/charts.ts'
import { floorAndSales, salesByHour, volumeBars } from './chart-data.ts'
import { CollectionAsks } from './collection-asks.tsx'
import { CollectionHolders } from './collection-holders.tsx'
import { CollectionRanks } from './collection-ranks.tsx'
import { CountBars } from './count-bars.tsx'

type History = Answer<'getCollectionHistory'>

const WINDOWS = [1, 7, 30, 90, 365]
const FLOOR_LINES = [
  { colour: '--accent', kind: 'steps' },
  { colour: '--up', kind: 'dots' },
] as const
const VOLUME_LINES = [{ colour: '--edge', kind: 'bars' }] as const
/** Rows of a chart's table. */
const MOST_ROWS = 50

/** The floor, the sales and the volume of a collection over a window of time, its listings by price, its sales by hour and by rank, and its holders. */
export function CollectionAnalytics({ slug }: { slug: string }) {
  const [days, setDays] = useState(30)
  const found = useRead('getCollectionHistory', { params: { slug }, query: { days } }, { keep: true })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <fieldset className="flex gap-1 overflow-x-auto p-0.5">
        <legend className="sr-only">{words.window}</legend>
        {WINDOWS.map((each) => (
          <Button
            key={each}
            kind={days === each ? 'plain' : 'ghost'}
            aria-pressed={days === each}
            onClick={() => setDays(each)}
          >
            {words.windows[each]}
          </Button>
        ))}
      </fieldset>
      <Loaded of={found}>{(history) => <Charts history={history} />}</Loaded>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <CollectionAsks slug={slug} />
        {found.data && <Hours history={found.data} />}
      </div>
      <CollectionRanks slug={slug} />
      <CollectionHolders slug={slug} />
    </div>
  )
}

function Charts({ history }: { history: History }) {
  const { unit, fiat } = useSettings()
  const say = (sats: number) => Object.values(amount(Math.round(sats), unit, fiat)).join(' ')
  const short = (sats: number) => amount(Math.round(sats), unit, fiat).text
  const { from, until, partSeconds, floor, sales, volume } = history
  const now = useMemo(() => new Date(until), [until])
  const prices = useMemo(() => floorAndSales(floor, sales, now), [floor, sales, now])
  const bars = useMemo(
    () => volumeBars(volume, { from, until: now, partSeconds }),
    [volume, from, now, partSeconds],
  )
  const total = volume.reduce((sum, each) => sum + each.sats, 0)
  const count = volume.reduce((sum, each) => sum + each.sales, 0)
  const timeOf = (seconds: number) => fullTime(new Date(seconds * 1000).toISOString())
  const readPrice = (place: number) => {
    const [times, floors, sold] = prices
    const [held, price] = [floors[place] ?? null, sold[place] ?? null]
    return words.at(timeOf(times[place]!), [
      held === null ? words.noFloor : words.floorAt(say(held)),
      ...(price === null ? [] : [words.saleAt(say(price))]),
    ])
  }
  const salesAt = new Map(volume.map((each) => [Date.parse(each.at) / 1000, each.sales]))
  const readVolume = (place: number) => {
    const [times, volumes] = bars
    return words.at(timeOf(times[place]!), [
      words.volumeAt(say(volumes[place]!), salesAt.get(times[place]!) ?? 0),
    ])
  }
  return (
    <>
      <section className="panel p-4">
        <h2 className="mb-3 text-h3">{words.floor}</h2>
        <Chart label={words.floor} data={prices} lines={FLOOR_LINES} say={short} read={readPrice} />
        <Table
          rows={sales.slice(-MOST_ROWS).map(({ at, priceSats }) => ({ at, sats: priceSats }))}
          head={words.price}
        />
      </section>
      <section className="panel p-4">
        <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
          <h2 className="text-h3">{words.volume}</h2>
          <p className="tabular text-small text-soft">{words.sum(say(total), count)}</p>
        </div>
        <Chart label={words.volume} data={bars} lines={VOLUME_LINES} say={short} read={readVolume} />
        <Table rows={volume.slice(-MOST_ROWS)} head={words.volume} />
      </section>
    </>
  )
}

/** Sales that an answer has at most. */
const MOST_SALES = 500

/** The sales of the window by the hour of the day. */
function Hours({ history: { sales } }: { history: History }) {
  const hours = useMemo(() => salesByHour(sales), [sales])
  return (
    <section aria-label={words.hours} className="panel min-h-56 p-4">
      <h2 className="text-h3">{words.hours}</h2>
      {sales.length === 0 ? (
        <p className="mt-3 text-small text-soft">{words.noSales}</p>
      ) : (
        <>
          <p className="mb-3 text-caption text-soft">
            {words.hoursOf(sales.length, sales.length < MOST_SALES)}
          </p>
          <CountBars
            bars={hours.map((number, hour) => ({ name: words.hourAt(hour), count: number }))}
            say={words.salesAt}
            ends={[words.hourAt(0), words.hourAt(23)]}
            heads={[words.hour, words.sales]}
          />
        </>
      )}
    </section>
  )
}

/** The numbers of a chart, the latest first. */
function Table({ rows, head }: { rows: readonly { at: string; sats: number }[]; head: string }) {
  if (rows.length === 0) return null
  return (
    <details className="mt-2 text-small">
      <summary className="min-h-6 text-soft underline">{words.table}</summary>
      <table className="mt-2 text-left">
        <thead className="text-caption text-soft">
          <tr>
            <th scope="col" className="pr-6 font-[560]">
              {words.time}
            </th>
            <th scope="col" className="font-[560]">
              {head}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ at, sats }, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sales of one block may be equal.
            <tr key={n}>
              <td className="pr-6">{fullTime(at)}</td>
              <td>
                <Price sats={sats} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
