import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Failed, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Skeleton } from '@ordbook/web-ui/ui/skeleton.tsx'
import { useState } from 'react'

type Value = Answer<'getPortfolioValue'>

const WINDOWS = [1, 7, 30, 365] as const
type Days = (typeof WINDOWS)[number]

/** Estimated value of all items, its change split into prices and trades, and its course. */
export function PortfolioValue() {
  const [days, setDays] = useState<Days>(7)
  const found = useRead('getPortfolioValue', { query: { days } }, { keep: true })
  return (
    <section aria-label={words.estimated} className="panel grid min-h-56 gap-x-8 gap-y-4 p-4 md:p-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-h3" title={words.estimatedWhy}>
          {words.estimated}
        </h2>
        <Windows days={days} onChange={setDays} />
      </div>
      {found.data ? (
        <div className="grid items-end gap-x-8 gap-y-4 md:grid-cols-[minmax(0,300px)_minmax(0,1fr)]">
          <Summary value={found.data} days={days} />
          <Course points={found.data.points} />
        </div>
      ) : found.error ? (
        <Failed error={found.error} again={() => void found.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
    </section>
  )
}

function Windows({ days, onChange }: { days: Days; onChange: (days: Days) => void }) {
  return (
    <fieldset className="flex rounded-button bg-raised p-1">
      <legend className="sr-only">{words.window}</legend>
      {WINDOWS.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={days === each}
          onClick={() => onChange(each)}
          className="min-h-8 rounded-control px-3 text-small font-[560] text-soft hover:text-ink aria-pressed:bg-line aria-pressed:text-ink"
        >
          {words.windows[each]}
        </button>
      ))}
    </fieldset>
  )
}

function useAmounts() {
  const { unit, fiat } = useSettings()
  return (sats: number, isSigned = false) => {
    const { text, unit: name } = amount(Math.abs(sats), unit, fiat)
    const sign = sats < 0 ? '−' : isSigned && sats > 0 ? '+' : ''
    return `${sign}${text} ${name}`
  }
}

function Summary({ value, days }: { value: Value; days: Days }) {
  const { valueSats, valuedCount, unvaluedCount, priceChangeSats, itemChangeSats, points } = value
  const say = useAmounts()
  const [first] = points
  const changeSats = priceChangeSats + itemChangeSats
  const percent = first && first.valueSats > 0 ? ` (${difference(valueSats, first.valueSats)})` : ''
  const isWhole = first !== undefined && Date.now() - Date.parse(first.at) > days * 86_400_000 * 0.95
  return (
    <div className="grid gap-1">
      <Price sats={valuedCount > 0 ? valueSats : null} className="text-display" />
      {first && (
        <>
          <p
            className={`tabular font-[560] ${changeSats > 0 ? 'text-up' : changeSats < 0 ? 'text-down' : 'text-soft'}`}
          >
            {say(changeSats, true)}
            {percent} {isWhole ? words.inWindow[days] : words.since(first.at)}
          </p>
          <p className="tabular text-small text-soft">
            {words.split(say(priceChangeSats, true), say(itemChangeSats, true))}
          </p>
        </>
      )}
      <p className="text-small text-soft">{words.counted(valuedCount, unvaluedCount)}</p>
    </div>
  )
}

const [WIDTH, HEIGHT] = [600, 120]

/** Line of the values. Screen readers get its points as a table. */
function Course({ points }: { points: Value['points'] }) {
  const say = useAmounts()
  if (points.length < 2)
    return <p className="self-center text-center text-small text-soft">{words.noCourse}</p>
  const values = points.map(({ valueSats }) => valueSats)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const times = points.map(({ at }) => Date.parse(at))
  const [from, to] = [times[0]!, times.at(-1)!]
  const at = (n: number) => {
    const x = (((times[n]! - from) / (to - from || 1)) * WIDTH).toFixed(1)
    const y = (HEIGHT - 8 - ((values[n]! - least) / (most - least || 1)) * (HEIGHT - 16)).toFixed(1)
    return `${x},${y}`
  }
  const line = values.map((_, n) => at(n)).join('L')
  const isUp = values.at(-1)! >= values[0]!
  return (
    <figure className="grid gap-1">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-3">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className={`h-32 w-full ${isUp ? 'text-up' : 'text-down'}`}
        >
          <path
            d={`M0,${HEIGHT}L${line}L${WIDTH},${HEIGHT}Z`}
            className={isUp ? 'fill-up-bg' : 'fill-down-bg'}
          />
          <path
            d={`M${line}`}
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
            vectorEffect="non-scaling-stroke"
          />
        </svg>
        <div aria-hidden="true" className="tabular grid content-between text-right text-caption text-soft">
          <span>{say(most)}</span>
          {least < most && <span>{say(least)}</span>}
        </div>
      </div>
      <figcaption aria-hidden="true" className="flex justify-between text-caption text-soft">
        <span>{dayOf(points[0]!.at)}</span>
        <span>{words.now}</span>
      </figcaption>
      <table className="sr-only">
        <caption>{words.course}</caption>
        <tbody>
          {points.map((point) => (
            <tr key={point.at}>
              <th scope="row">{timeOf(point.at)}</th>
              <td>{say(point.valueSats)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

const dayOf = (iso: string) => new Date(iso).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
const timeOf = (iso: string) =>
  new Date(iso).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
