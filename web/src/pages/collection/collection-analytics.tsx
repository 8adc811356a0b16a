import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount, fullTime } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { useMemo, useState } from 'react'
import { Chart } from '../charts/chart.tsx'
import { salesByHour, volumeBars } from '../charts/chart-data.ts'
import { ChartTable } from '../charts/chart-table.tsx'
import { CountBars } from '../charts/count-bars.tsx'
import { PriceChart, Windows } from '../charts/price-chart.tsx'
import { CollectionAsks } from './collection-asks.tsx'
import { CollectionRanks } from './collection-ranks.tsx'

type History = Answer<'getCollectionHistory'>

const WINDOWS = [1, 7, 30, 90, 365]
const VOLUME_LINES = [{ colour: '--edge', kind: 'bars' }] as const

export function CollectionAnalytics({ slug }: { slug: string }) {
  const [days, setDays] = useState(30)
  const found = useRead('getCollectionHistory', { params: { slug }, query: { days } }, { keep: true })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <Windows of={WINDOWS} days={days} onChange={setDays} />
      <Loaded of={found}>{(history) => <Charts history={history} />}</Loaded>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-2">
        <CollectionAsks slug={slug} />
        {found.data && <Hours history={found.data} />}
      </div>
      <CollectionRanks slug={slug} />
    </div>
  )
}

function Charts({ history }: { history: History }) {
  const { unit, fiat } = useSettings()
  const say = (sats: number) => Object.values(amount(Math.round(sats), unit, fiat)).join(' ')
  const short = (sats: number) => amount(Math.round(sats), unit, fiat).text
  const { from, until, partSeconds, volume } = history
  const now = useMemo(() => new Date(until), [until])
  const bars = useMemo(
    () => volumeBars(volume, { from, until: now, partSeconds }),
    [volume, from, now, partSeconds],
  )
  const total = volume.reduce((sum, each) => sum + each.sats, 0)
  const count = volume.reduce((sum, each) => sum + each.sales, 0)
  const timeOf = (seconds: number) => fullTime(new Date(seconds * 1000).toISOString())
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
        <PriceChart label={words.floor} history={history} />
      </section>
      <section className="panel p-4">
        <div className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
          <h2 className="text-h3">{words.volume}</h2>
          <p className="tabular text-small text-soft">{words.sum(say(total), count)}</p>
        </div>
        <Chart label={words.volume} data={bars} lines={VOLUME_LINES} say={short} read={readVolume} />
        <ChartTable rows={volume} head={words.volume} />
      </section>
    </>
  )
}

const MAX_SALES = 500

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
            {words.hoursOf(sales.length, sales.length < MAX_SALES)}
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
