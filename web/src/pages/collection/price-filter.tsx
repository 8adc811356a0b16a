import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { filters as words } from '@ordbook/web-ui/strings/collection.ts'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import {
  boundsOf,
  type Handles,
  handlesOf,
  hasOutliers,
  moved,
  type Prices,
  pricesOf,
  startOf,
} from './price-ranges.ts'

interface Bounds {
  min?: number | undefined
  max?: number | undefined
}

/** Histogram of listing prices with two handles. Nothing is shown without listings. */
export function PriceFilter({
  slug,
  min,
  max,
  set,
}: {
  slug: string
  min: number | undefined
  max: number | undefined
  set: (bounds: Required<Bounds>) => void
}) {
  const { data } = useRead('getPriceHistogram', { params: { slug } })
  const prices = data && pricesOf(data)
  // Reserves the height to avoid a layout shift.
  if (!data) return <div className="h-[118px]" />
  return prices && <Sliders prices={prices} min={min} max={max} set={set} />
}

/** Bars that a Page key moves a handle. */
const PAGE_BARS = 5
const PAGE_KEYS: Record<string, number> = { PageUp: PAGE_BARS, PageDown: -PAGE_BARS }

function Sliders({
  prices,
  min,
  max,
  set,
}: { prices: Prices; set: (bounds: Required<Bounds>) => void } & Bounds) {
  const { unit, fiat } = useSettings()
  const given = handlesOf(prices, min, max)
  // A moved handle, until the filter changes.
  const filter = `${min} ${max}`
  const [last, setLast] = useState({ filter, handles: given })
  const handles = last.filter === filter ? last.handles : given
  const [pointed, point] = useState<number | null>(null)
  const say = (sats: number) => Object.values(amount(sats, unit, fiat)).join(' ')
  const count = prices.bars.length
  const textOf = (bar: number) =>
    bar === count - 1 && hasOutliers(prices)
      ? words.priceFrom(say(startOf(prices, bar)))
      : words.prices(amount(startOf(prices, bar), unit, fiat).text, say(startOf(prices, bar + 1)))
  const commit = () => {
    if (handles.low !== given.low || handles.high !== given.high)
      set(boundsOf(prices, handles) as Required<Bounds>)
  }
  const handle = (side: keyof Handles) => ({
    value: handles[side],
    max: count,
    valueText: say(startOf(prices, handles[side])),
    onMove: (to: number) => {
      setLast({ filter, handles: moved(handles, side, to, count) })
      point(side === 'low' ? Math.min(to, count - 1) : Math.max(0, to - 1))
    },
    onEnd: commit,
  })
  return (
    // Room for the handles, which overlap the ends.
    <div className="grid gap-1 px-2">
      <Bars prices={prices} handles={handles} onPoint={point} />
      <div className="relative h-6">
        <span className="absolute inset-x-0 top-2.5 h-1 bg-line" />
        <span
          className="absolute top-2.5 h-1 bg-accent"
          style={{
            left: `${(100 * handles.low) / count}%`,
            right: `${(100 * (count - handles.high)) / count}%`,
          }}
        />
        <Handle label={words.lowest} {...handle('low')} />
        <Handle label={words.highest} {...handle('high')} />
      </div>
      <p className="tabular min-h-4 text-caption text-soft">
        {pointed === null
          ? words.listings(prices.bars.reduce((sum, each) => sum + each, 0))
          : words.listingsAt(textOf(pointed), prices.bars[pointed]!)}
      </p>
    </div>
  )
}

function Bars({
  prices: { bars },
  handles: { low, high },
  onPoint,
}: {
  prices: Prices
  handles: Handles
  onPoint: (bar: number | null) => void
}) {
  const most = Math.max(...bars)
  const pointAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    onPoint(Math.max(0, Math.min(bars.length - 1, Math.floor(((clientX - left) / width) * bars.length))))
  }
  return (
    <div
      aria-hidden="true"
      data-varies
      onPointerMove={pointAt}
      onPointerLeave={() => onPoint(null)}
      className="flex h-16 items-end gap-px"
    >
      {bars.map((items, bar) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: bars are identified by their place
          key={bar}
          className={`min-w-0 flex-1 rounded-t-sm ${bar >= low && bar < high ? 'bg-accent' : 'bg-edge'}`}
          style={{ height: items === 0 ? '1px' : `${Math.max(6, (100 * items) / most)}%` }}
        />
      ))}
    </div>
  )
}

function Handle({
  label,
  value,
  max,
  valueText,
  onMove,
  onEnd,
}: {
  label: string
  value: number
  max: number
  valueText: string
  onMove: (to: number) => void
  onEnd: () => void
}) {
  const page = (event: KeyboardEvent) => {
    const step = PAGE_KEYS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onMove(value + step)
  }
  return (
    <input
      type="range"
      min={0}
      max={max}
      value={value}
      aria-label={label}
      aria-valuetext={valueText}
      onChange={(event) => onMove(Number(event.target.value))}
      onKeyDown={page}
      onKeyUp={onEnd}
      onPointerUp={onEnd}
      className="handle"
    />
  )
}
